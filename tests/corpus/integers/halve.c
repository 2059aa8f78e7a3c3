// Division rounds towards zero, so that both signs come to it.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    while (x != 0) { //@ loop: terminates
        x /= 2;
    }
    return 0;
}
