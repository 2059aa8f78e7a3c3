// A jump leaves a recursion; the next call of the function is an outermost one again.
typedef long jmp_buf[40];
int setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);

static jmp_buf place;
static int round;

static void down(int n) { //@ recursion: terminates; tool everywhere: unknown -- that a jump leaves the recursion is not followed
    if (n == 2) {
        longjmp(place, 1);
    }
    if (n == 1) {
        down(2);
        while (1) { //@ loop: terminates; absent; tool everywhere: unknown -- that a jump leaves the recursion is not followed
        }
    }
}

int main(void) {
    for (round = 0; round < 2; round++) { //@ loop: terminates; within 2 lines; tool everywhere: unknown -- that a jump leaves the recursion is not followed
        if (!setjmp(place)) {
            down(round == 0 ? 1 : 0);
        }
    }
    return 0;
}
