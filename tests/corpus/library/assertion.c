// An assertion that fails ends the program.
_Noreturn void __assert_fail(const char *, const char *, unsigned, const char *);

int main(void) {
    int i = 0;
    while (1) { //@ loop: terminates
        i < 10 ? (void)0 : __assert_fail("i < 10", "assertion.c", 7, "main");
        i++;
    }
    return 0;
}
