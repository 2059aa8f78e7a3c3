// Arguments that no caller may hand over are no input in C. On a machine they are like any other.
int of_another_type(int *p, float *q) {
    *p = 1;
    *q = 2;
    while (*p != 1) { //@ loop: terminates; wrap: diverges; ideal: diverges; tool: unknown -- the proof would rest on effective types
    }
    return 0;
}

int restricted(int *restrict p, int *restrict q) {
    *p = 1;
    *q = 2;
    while (*p != 1) { //@ loop: terminates; wrap: diverges; ideal: diverges; tool: unknown -- the proof would rest on `restrict`
    }
    return 0;
}

int of_four(int a[static 4]) {
    while (!a) { //@ loop: terminates; wrap: diverges; ideal: diverges; tool: unknown -- the proof would rest on what callers hand over
    }
    return 0;
}

__attribute__((nonnull)) int never_null(int *p) {
    while (!p) { //@ loop: terminates; wrap: diverges; ideal: diverges; tool: unknown -- the proof would rest on what callers hand over
    }
    return 0;
}

int wraps_around(int *a) {
    while (a + 1 == 0) { //@ loop: terminates; wrap: diverges; ideal: diverges; tool: unknown -- the proof would rest on pointers that stay in their objects
    }
    return 0;
}

int hangs_with_equal_ones(int *p, int *q) {
    *p = 1;
    *q = 2;
    while (*p != 1) { //@ loop: diverges when p == q; slow everywhere
    }
    return 0;
}
