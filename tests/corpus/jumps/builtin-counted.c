// A global counts the jumps.
//@ native: ends
void *buffer[5];
int n;

__attribute__((noinline)) static void back(void) {
    __builtin_longjmp(buffer, 1);
}

int main(void) {
    __builtin_setjmp(buffer); //@ loop: terminates; within 5 lines
    if (n < 3) {
        n++;
        back();
    }
    return 0;
}
