// A jump leaves the recursion from its depth, for ever and ever.
typedef long jmp_buf[40];
int setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);

static jmp_buf place;

static void down(int n) { //@ recursion: terminates
    if (n == 0) {
        longjmp(place, 1);
    }
    down(n - 1);
}

int main(void) {
    (void)setjmp(place); //@ loop: diverges; within 2 lines
    down(3);
    return 0;
}
