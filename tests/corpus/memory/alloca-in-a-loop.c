// Each round has its own object, which lives as long as the function.
int main(void) {
    int *q = 0;
    for (int i = 0; i < 2; i++) { //@ loop: terminates
        int *r = __builtin_alloca(sizeof *r);
        *r = i;
        if (i == 0) {
            q = r;
        }
    }
    while (*q == 1) { //@ loop: terminates; tool everywhere: unknown -- what the object of the first round holds is an invariant over array contents
    }
    return 0;
}
