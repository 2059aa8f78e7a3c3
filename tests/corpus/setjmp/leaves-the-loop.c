// longjmp leaves a loop that nothing else leaves.
typedef long jmp_buf[40];
int setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);

static jmp_buf place;

static void fail(void) {
    longjmp(place, 1);
}

int main(void) {
    unsigned n = 0;
    if (setjmp(place)) { //@ loop: terminates; absent
        return 1;
    }
    while (1) { //@ loop: terminates
        n++;
        if (n == 100) {
            fail();
        }
    }
}
