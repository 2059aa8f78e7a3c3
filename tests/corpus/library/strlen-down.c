// The length is unsigned, and so is the index: it is never below zero.
unsigned long strlen(const char *);

int main(void) {
    const char *s = "lariat";
    for (unsigned long i = 0; i < strlen(s); i++) { //@ loop: terminates
    }
    for (unsigned long i = strlen(s) - 1; i >= 0; i--) { //@ loop: diverges; tool everywhere: unknown -- a first index that the environment gives is no way into the loop
    }
    return 0;
}
