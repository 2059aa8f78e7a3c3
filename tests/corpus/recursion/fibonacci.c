// Two calls in one expression: the first has returned when the second begins.
extern int __VERIFIER_nondet_int(void);

static int fibonacci(int n) { //@ recursion: terminates
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int main(void) {
    return fibonacci(__VERIFIER_nondet_int()) == 8;
}
