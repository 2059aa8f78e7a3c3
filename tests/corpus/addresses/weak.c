// What is weak may not be there.
extern int variable __attribute__((weak));
extern void function(void) __attribute__((weak));

int main(void) {
    while (&variable == 0) { //@ loop: neither
    }
    while (function == 0) { //@ loop: neither
    }
    return 0;
}
