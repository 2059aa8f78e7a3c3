// The length is unsigned, and so is the index: it is never below zero.
unsigned long strlen(const char *);

int main(void) {
    const char *s = "lariat";
    for (unsigned long i = 0; i < strlen(s); i++) { //@ loop: terminates
    }
    for (unsigned long i = strlen(s) - 1; i >= 0; i--) { //@ loop: diverges
    }
    return 0;
}
