// A cycle without a loop statement and without a jump that the compiler sees.
typedef long jmp_buf[40];
int setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);

static jmp_buf place;

static void again(void) {
    longjmp(place, 1);
}

int main(void) {
    if (setjmp(place) >= 0) { //@ loop: diverges; within 2 lines
        again();
    }
    return 0;
}
