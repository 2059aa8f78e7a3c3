// Where setjmp returns twice, control comes to blocks in a way that the graph of the function does not show: it has no views.
typedef long jmp_buf[40];
int setjmp(jmp_buf);
_Noreturn void longjmp(jmp_buf, int);

static jmp_buf place;
static unsigned tries;

static void fail(void) {
    tries++;
    longjmp(place, 1);
}

unsigned attempt(const unsigned char *text, unsigned n) {
    tries = 0;
    (void)setjmp(place); //@ loop: diverges when text[0] == 0 && n > 0; within 2 lines
    unsigned i = 0;
    while (i < n) { //@ loop: terminates
        if (text[i] == 0) {
            fail();
        }
        i++;
    }
    return tries;
}
