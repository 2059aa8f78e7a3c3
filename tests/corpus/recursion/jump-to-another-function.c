// The jump goes to a function of the recursion that the one it comes from was not called by, last.
typedef long jmp_buf[40];
int setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);

static jmp_buf place;

static void down(int n);

static void keep(int n) { //@ recursion: diverges; with down
    if (setjmp(place)) {
        while (1) { //@ loop: diverges; tool everywhere: unknown -- to which of the calls a jump goes back is not followed
        }
    }
    down(n);
}

static void leave(void) {
    longjmp(place, 1);
}

static void down(int n) { //@ recursion: diverges; with keep; tool everywhere: unknown -- to which of the calls a jump goes back is not followed
    if (n == 0) {
        leave();
    }
    keep(n - 1);
}

int main(void) {
    down(1);
    return 0;
}
