// A limit of time, an alarm by number: the program asks for its own end.
//@ native: ends
long syscall(long, ...);

int main(void) {
    syscall(37, 1); /* alarm, on x86-64 */
    for (;;) { //@ loop: terminates; tool everywhere: unknown -- that the signal comes is not known
    }
}
