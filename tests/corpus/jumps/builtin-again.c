// Nothing tells the second time from the first: it jumps back again and again.
//@ native: hangs
void *buffer[5];

__attribute__((noinline)) static void back(void) {
    __builtin_longjmp(buffer, 1);
}

int main(void) {
    __builtin_setjmp(buffer);
    back(); //@ loop: diverges; within 2 lines
    return 0;
}
