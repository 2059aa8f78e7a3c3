// A cycle with two entries; its halves undo each other.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x < 0) {
        goto second;
    }
first:
    x++; //@ loop: diverges; within 5 lines
    if (x > 100) {
        return 0;
    }
second:
    x--;
    goto first;
}
