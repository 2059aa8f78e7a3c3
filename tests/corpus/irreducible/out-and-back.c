// The loop goes on outside its braces, where its progress is undone.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    int n = __VERIFIER_nondet_uchar();
    while (n > 0) { //@ loop: diverges when n > 0
        n--;
        if (n % 3 == 0) {
            goto outside;
        }
    back:;
    }
    return 0;
outside:
    n++;
    goto back;
}
