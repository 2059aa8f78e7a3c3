// A caller may hand over a number for which it hangs: that is a finding, and no condition.
void blocks(unsigned long n, unsigned long step) {
    while (n > step) { //@ loop: diverges when n > step && step == 0
        n -= step;
    }
}

void checked(unsigned long n, unsigned long step) {
    if (step == 0) {
        return;
    }
    while (n > step) { //@ loop: terminates
        n -= step;
    }
}
