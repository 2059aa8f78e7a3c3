// abort takes the case away for which the loop would hang.
extern int __VERIFIER_nondet_int(void);
_Noreturn void abort(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x == 5) {
        abort();
    }
    while (x == 5) { //@ loop: terminates
    }
    return 0;
}
