// A local that changed after setjmp is unknown after longjmp.
typedef long jmp_buf[40];
int setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);

static jmp_buf place;

int main(void) {
    int n = 0;
    (void)setjmp(place); //@ loop: neither; within 4 lines
    n++;
    if (n < 3) {
        longjmp(place, 1);
    }
    return 0;
}
