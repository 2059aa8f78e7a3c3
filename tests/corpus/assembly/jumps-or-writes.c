// Assembly that may jump to a label writes memory as well, and memory of a thread by its segment may be any memory.
void refilled(unsigned *p) {
    while (*p > 0) { //@ loop: neither
        (*p)--;
        asm goto("movl $5, (%0)" : : "r"(p) : "memory" : out);
    }
out:;
}

void waits(unsigned n) {
    while (n > 0) { //@ loop: neither
        n--;
        asm goto("1: jmp 1b" : : : : out);
    }
out:;
}

void by_segment(unsigned *p, unsigned __seg_gs *q) {
    while (*p > 0) { //@ loop: neither
        (*p)--;
        *q = 5;
    }
}

void behind(unsigned n) {
    asm("nop");
    while (n > 0) { //@ loop: diverges when n > 0
    }
}
