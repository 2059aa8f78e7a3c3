// Chunks are taken while they fit: a chunk of nothing always fits.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int at = __VERIFIER_nondet_int();
    int chunk = __VERIFIER_nondet_int();
    int size = __VERIFIER_nondet_int();
    while (at + chunk <= size) { //@ loop: diverges
        at += chunk;
    }
    return 0;
}
