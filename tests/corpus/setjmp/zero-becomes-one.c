// longjmp(place, 0) makes setjmp return 1.
typedef long jmp_buf[40];
int setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);

static jmp_buf place;

int main(void) {
    if (setjmp(place) == 0) { //@ loop: terminates; within 2 lines; absent
        longjmp(place, 0);
    }
    return 0;
}
