// A function that runs when its variable leaves the scope.
extern int __VERIFIER_nondet_int(void);

static void last(int *p) {
    while (*p) { //@ loop: diverges when x != 0
    }
}

int main(void) {
    __attribute__((cleanup(last))) int x = __VERIFIER_nondet_int();
    return 0;
}
