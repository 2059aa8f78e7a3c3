// The loop sets a new place each time, and comes back to it.
typedef long jmp_buf[40];
int setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);

static jmp_buf place;

int main(void) {
    while (1) { //@ loop: diverges
        if (!setjmp(place)) { //@ loop: terminates; within 1 lines; absent
            longjmp(place, 1);
        }
    }
    return 0;
}
