// All that a call took from the stack is gone when it is over, not only what it took last.
static int *kept;

static void take(int n) {
    for (int i = 0; i < n; i++) { //@ loop: terminates
        int *p = __builtin_alloca(sizeof *p);
        *p = 1;
        if (i == 0) {
            kept = p;
        }
    }
}

int main(void) {
    take(3);
    while (*kept) { //@ loop: terminates; absent; tool everywhere: unknown -- which objects are alive is an invariant over array contents
    }
    return 0;
}
