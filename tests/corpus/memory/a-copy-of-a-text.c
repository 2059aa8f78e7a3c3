// A copy has the length of its text, whatever that is: it is there, and holds what it was made from.
//@ native: hangs
char *strdup(const char *);
volatile int beats;

int main(void) {
    char *q = strdup("a");
    if (!q) {
        return 0;
    }
    while (q[0] == 'a') { //@ loop: diverges; tool everywhere: unknown -- what a copy holds is not followed
        beats = 1;
    }
    return 0;
}
