// A function that is declared to never return may not return: nothing behind it is reached.
static _Noreturn void pretend(void) {
}

int main(void) {
    pretend();
    while (1) { //@ loop: terminates; absent
    }
    return 0;
}
