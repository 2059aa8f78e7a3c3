// __builtin_longjmp comes back to __builtin_setjmp, which then gives 1.
//@ native: hangs
void *buffer[5];

__attribute__((noinline)) static void back(void) {
    __builtin_longjmp(buffer, 1);
}

int main(void) {
    if (__builtin_setjmp(buffer) == 0) { //@ loop: terminates; within 1 lines; tool everywhere: unknown -- the jump goes around all that follows, and a loop in there is open
        back();
    } else {
        for (;;) { //@ loop: diverges
        }
    }
    return 0;
}
