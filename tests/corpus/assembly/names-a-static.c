// Assembly elsewhere in the file stores to a static object by its name.
static int step = 1;
static int by = 1;

void ext(void);

void sets(void) {
    __asm__ volatile("movl $0, step(%%rip)" ::: "memory");
}

void loops(int n) {
    for (int i = 0; i < n; i += step) { //@ loop: diverges when n > 0 && step == 0
    }
}

void in_a_table(int n) {
    __asm__ volatile(".pushsection table,\"aw\"\n.quad by\n.popsection");
    by = 1;
    for (int i = 0; i < n; i += by) { //@ loop: neither
        ext();
    }
}
