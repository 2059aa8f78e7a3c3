// Each call leaves the address of its parameter behind, and is over when the guard reads it.
static int *kept;

static int keep(int x) {
    kept = &x;
    return *kept;
}

int main(void) {
    for (int i = 1; i < 3; i++) { //@ loop: terminates
        keep(i);
    }
    while (*kept) { //@ loop: terminates; absent; tool everywhere: unknown -- which objects are alive is an invariant over array contents
    }
    return 0;
}
