// A jump to a place that was never set is undefined.
typedef long jmp_buf[40];
int setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);

static jmp_buf place;

int main(void) {
    int ready = 0;
    if (!ready) {
        longjmp(place, 1);
    }
    if (setjmp(place)) {
        while (1) { //@ loop: terminates; absent
        }
    }
    return 0;
}
