// A jump goes from one call of a function to an outer one, which then runs for ever.
typedef long jmp_buf[40];
int setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);

static jmp_buf place;

static void down(int n) { //@ recursion: diverges; tool everywhere: unknown -- to which of the calls a jump goes back is not followed
    if (n == 0) {
        longjmp(place, 1);
    }
    if (n == 1) {
        if (setjmp(place)) {
            while (1) { //@ loop: diverges; tool everywhere: unknown -- to which of the calls a jump goes back is not followed
            }
        }
    }
    down(n - 1);
}

int main(void) {
    down(2);
    return 0;
}
