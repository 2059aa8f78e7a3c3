// The local of a function that was left by a jump is gone.
typedef long jmp_buf[40];
int setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);

static jmp_buf place;
static int *kept;

static void leave(void) {
    int x = 1;
    kept = &x;
    longjmp(place, 1);
}

int main(void) {
    if (!setjmp(place)) { //@ loop: terminates; within 2 lines; absent; tool everywhere: unknown -- the jump goes around all that follows, and a loop in there is open
        leave();
    }
    while (*kept) { //@ loop: terminates; absent; tool everywhere: unknown -- which objects are alive is an invariant over array contents
    }
    return 0;
}
