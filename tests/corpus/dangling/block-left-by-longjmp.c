// A jump back leaves the blocks that `setjmp` was not called in, also those of its own function.
typedef long jmp_buf[40];
int setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);

static jmp_buf place;
static int *kept;

int main(void) {
    if (!setjmp(place)) { //@ loop: terminates; within 4 lines; absent
        int x = 1;
        kept = &x;
        longjmp(place, 1);
    }
    while (1) { //@ loop: terminates; absent
        *kept = 1;
    }
    return 0;
}
