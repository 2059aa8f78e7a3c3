// A cycle with two entries; x falls on the one way around.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (__VERIFIER_nondet_int()) {
        goto second;
    }
first:
    x--; //@ loop: terminates; within 4 lines
second:
    if (x > 0) {
        goto first;
    }
    return 0;
}
