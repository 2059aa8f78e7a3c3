// The skipped call fills the caller's object by a function of the library.
void *memset(void *, int, unsigned long);

static void drain(unsigned char *left, int n) { //@ recursion: diverges; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
    if (n == 0) {
        memset(left, 3, 1);
        return;
    }
    while (*left > 0) { //@ loop: diverges; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
        --*left;
        drain(left, n - 1);
    }
}

int main(void) {
    unsigned char left = 3;
    drain(&left, 1);
    return 0;
}
