// Two structs of one name, in different scopes: one holds the other.
typedef struct part {
    unsigned left;
} outer;

void held(void *where, outer *q) {
    struct part {
        unsigned other;
        outer inner;
    };
    struct part *p = where;
    while (q->left > 0) { //@ loop: diverges when q == &p->inner && q->left > 0
        q->left--;
        p->inner.left = 5;
    }
}

// The first member of one is no member of the other.
void apart(void *where, outer *q) {
    struct part {
        short other;
    };
    struct part *p = where;
    while (q->left > 0) { //@ loop: terminates
        q->left--;
        p->other = 5;
    }
}
