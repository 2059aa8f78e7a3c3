// A cycle that only longjmp closes.
typedef long jmp_buf[40];
int setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);

static jmp_buf place;
static int n;

int main(void) {
    (void)setjmp(place); //@ loop: terminates; within 4 lines
    n++;
    if (n < 3) {
        longjmp(place, 1);
    }
    return 0;
}
