// What an inner call gives back is what the outer one is called with.
extern int __VERIFIER_nondet_int(void);

static int past(int n) { //@ recursion: terminates; slow everywhere
    if (n > 40) {
        return n - 3;
    }
    return past(past(n + 5));
}

static int fall(int n) { //@ recursion: terminates; slow everywhere
    if (n <= 0) {
        return 0;
    }
    return fall(fall(n - 1));
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n > 1000 || n < -1000) {
        return 0;
    }
    return past(n) + fall(n);
}
