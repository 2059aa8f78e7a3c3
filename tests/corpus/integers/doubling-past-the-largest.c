// Over the integers the size passes every bound. On a machine that wraps it becomes zero and stays there.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int wanted = __VERIFIER_nondet_int();
    int size = 1;
    while (size <= wanted) { //@ loop: neither; wrap: diverges; ideal: terminates
        size *= 2;
    }
    return 0;
}
