// What leaves these loops is a matter of the cell alone, or is not.
struct cell {
    struct cell *next;
    struct cell *other;
    int key;
    short mark;
};

struct cell *find(struct cell *c, int key) {
    while (c) { //@ loop: neither; ends exactly when no cell comes twice before the loop is left, from `c` along `next`
        if (c->key == key) return c;
        c = c->next;
    }
    return 0;
}

// The counter decides nothing.
unsigned count(struct cell *c) {
    int n = 0;
    while (c) { //@ loop: neither; ends exactly when no cell comes twice before the loop is left, from `c` along `next`
        n++;
        c = c->next;
    }
    return n;
}

// What is written is read nowhere.
void mark(struct cell *c) {
    for (; c; c = c->next) //@ loop: neither; ends exactly when no cell comes twice before the loop is left, from `c` along `next`
        c->mark = 1;
}

// On a ring it stops when all are marked.
void mark_once(struct cell *c) {
    for (; c && !c->mark; c = c->next) //@ loop: neither; ends when no cycle is reached from `c` along `next`
        c->mark = 1;
}

// The cell before decides, too: a ring of equal keys is left in the second round.
int repeats(struct cell *c) {
    int before = -1;
    while (c) { //@ loop: neither; ends when no cycle is reached from `c` along `next`
        if (c->key == before) return 1;
        before = c->key;
        c = c->next;
    }
    return 0;
}

// It leaves a ring when the sum is large enough.
int sums(struct cell *c) {
    static unsigned sum;
    while (c) { //@ loop: neither; ends when no cycle is reached from `c` along `next`
        sum += c->key & 7;
        if (sum == 1000) return 1;
        c = c->next;
    }
    return 0;
}

// On a ring a sum overflows, which C leaves undefined.
int adds(struct cell *c, int k) {
    while (c) { //@ loop: neither; ends when no cycle is reached from `c` along `next`
        if (c->key + k == 7) return 1;
        c = c->next;
    }
    return 0;
}

// Somebody else may end it.
int asks(struct cell *c, volatile int *stop) {
    while (c) { //@ loop: neither; ends when no cycle is reached from `c` along `next`
        if (*stop) return 1;
        c = c->next;
    }
    return 0;
}

// On a ring it writes behind the array.
int list(struct cell *c) {
    int keys[8], n = 0;
    while (c) { //@ loop: terminates
        keys[n++] = c->key;
        c = c->next;
    }
    return keys[0];
}

// The key that ends it is one that it writes, perhaps.
int writes(struct cell *c, int *key) {
    while (c) { //@ loop: neither; ends when no cycle is reached from `c` along `next`
        if (c->key == 7) return 1;
        *key = 7;
        c = c->next;
    }
    return 0;
}
