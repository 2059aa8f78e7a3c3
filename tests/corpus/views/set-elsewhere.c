// What a function from elsewhere gives back, or writes, is within its type; what the program computes may be anything over the integers.
struct set {
    int count;
    int used;
};
extern void visit(int);
extern int how_many(void);

// `visit` may write `s->count`, but no number beyond its type.
void each(struct set *s) {
    for (int i = 0; i < s->count; i++) { //@ loop: terminates
        visit(i);
    }
}

void asked(void) {
    for (int i = 0; i < how_many(); i++) { //@ loop: terminates
        visit(i);
    }
}

void down(struct set *s) {
    for (int i = s->used; i > s->count; i--) { //@ loop: terminates
        visit(i);
    }
}

// Here the bound runs before the counter.
void runs_away(struct set *s) {
    for (int i = 0; i < s->count; i++) { //@ loop: neither; wrap: terminates; ideal: diverges
        s->count++;
    }
}

static void grow(struct set *s) {
    s->count = s->count + 1;
}

void grows(struct set *s) {
    for (int i = 0; i < s->count; i++) { //@ loop: neither; wrap: terminates; ideal: diverges
        grow(s);
    }
}

void waits(struct set *s) {
    int i = 0;
    while (i <= s->count) { //@ loop: diverges when s->count >= 0
        i = 0;
    }
}
