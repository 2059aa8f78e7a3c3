// The builtin says so.
int main(void) {
    unsigned long r;
    if (__builtin_mul_overflow(1UL << 63, 2UL, &r)) {
        while (1) { //@ loop: diverges; tool everywhere: unknown -- an overflow of a product of 64 bits is not followed
        }
    }
    return 0;
}
