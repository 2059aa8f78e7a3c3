// What longjmp hands over decides: 0, 1, 2, and 2 goes back to 1.
typedef long jmp_buf[40];
int setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);

static jmp_buf place;

int main(void) {
    switch (setjmp(place)) { //@ loop: diverges; within 8 lines
    case 0:
        longjmp(place, 1);
    case 1:
        longjmp(place, 2);
    case 2:
        longjmp(place, 1);
    default:
        return 0;
    }
}
