// A stranger may write to the buffer, not to the constant beside which it is read.
extern void look(const char *s);
extern int __VERIFIER_nondet_int(void);

static const char fixed[8] = "abcdefg";
static char buffer[8];

int main(void) {
    look(fixed);
    buffer[0] = 1;
    look(buffer);
    int n = __VERIFIER_nondet_int() & 7;
    const char *p = n > 3 ? fixed : buffer;
    if (p[n] == 'x') {
        return 1;
    }
    while (buffer[0] == 1) { //@ loop: neither
    }
    return 0;
}
