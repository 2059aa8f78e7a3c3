// Each call takes one from the global variable, and the inner call gives it back: the second call begins as the first did.
extern unsigned char __VERIFIER_nondet_uchar(void);

static int left;

static void again(int leaf) { //@ recursion: diverges; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
    if (leaf) {
        left++;
        return;
    }
    if (left <= 0) {
        return;
    }
    left--;
    again(1);
    again(0);
}

int main(void) {
    left = __VERIFIER_nondet_uchar();
    again(0);
    return 0;
}
