// The body is how the header of a verification tool writes it down; a run that it excludes does not count there, and in C it hangs. Where the two differ
// nothing is said.
extern int __VERIFIER_nondet_int(void);

void __VERIFIER_assume(int condition) {
    while (!condition) { //@ loop: neither; absent
    }
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n > 0);
    while (n != 0) { //@ loop: terminates; tool: unknown; tool ideal: unknown -- a run that waits in the function may go anywhere
        n--;
    }
    return 0;
}
