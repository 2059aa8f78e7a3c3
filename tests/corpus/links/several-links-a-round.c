// What is exact of a loop that passes several cells in a round, and what is not exact since something else may end it.
#include <stddef.h>
struct node {
    struct node *next, *left;
    int value, key;
};

int pairs(struct node *c) {
    while (c && c->next) { //@ loop: neither; ends exactly when no two iterations begin with `c` at one cell, along `next`
        c = c->next->next;
    }
    return 0;
}

int either(struct node *c) {
    while (c) { //@ loop: neither; ends exactly when no two iterations begin with `c` at one cell, along `left` and `next`
        if (c->left) c = c->left;
        c = c->next;
    }
    return 0;
}

// A divisor comes by zero on a ring.
int divides_cells(struct node *c) {
    while (c) { //@ loop: neither; ends when no cycle is reached from `c` along `next`
        c->value /= c->key;
        c->key--;
        c = c->next;
    }
    return 0;
}

// What nobody has written may be something else at each read.
int compares_with_nothing(struct node *c) {
    struct node k;
    while (c && c->key != k.key) { //@ loop: neither; ends when no cycle is reached from `c` along `next`
        c = c->next;
    }
    return 0;
}
