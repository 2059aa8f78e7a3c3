// Rounded upwards, one more is more.
extern int fesetround(int mode);

int main(void) {
    float f = 16777216.0f;
    fesetround(0x800);
    while (f < 16777220.0f) { //@ loop: terminates; tool everywhere: unknown -- changed rounding is not followed
        f += 1.0f;
    }
    return 0;
}
