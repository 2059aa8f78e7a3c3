// 3 is odd, so its multiples meet every value, after some turns around the clock.
int main(void) {
    for (unsigned i = 0; i != 100; i += 3) { //@ loop: terminates; tool everywhere: unknown -- a step that passes over the end needs an invariant over remainders
    }
    return 0;
}
