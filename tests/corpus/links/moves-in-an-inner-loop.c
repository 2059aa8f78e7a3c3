// The inner loop passes cells, and the outer one goes on behind them.
struct cell {
    int blank;
    struct cell *next;
};

int words(struct cell *c) {
    int n = 0;
    while (c) { //@ loop: neither; ends when no cycle is reached from `c` along `next`
        while (c->next && c->blank) { //@ loop: neither; ends exactly when no cell comes twice before the loop is left, from `c` along `next`
            c = c->next;
        }
        n++;
        c = c->next;
    }
    return n;
}
