// A jump back leaves the blocks that `setjmp` was not called in, also those of its own function.
typedef long jmp_buf[40];
int setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);

static jmp_buf place;
static int *kept;

int main(void) {
    if (!setjmp(place)) { //@ loop: terminates; within 4 lines; absent; tool everywhere: unknown -- the jump goes around all that follows, and a loop in there is open
        int x = 1;
        kept = &x;
        longjmp(place, 1);
    }
    while (1) { //@ loop: terminates; absent; tool everywhere: unknown -- which objects are alive is an invariant over array contents
        *kept = 1;
    }
    return 0;
}
