// The bound lies beyond the type of the counter.
int main(void) {
    for (int i = 0; i < 5000000000LL; i += 1000000000) { //@ loop: terminates; wrap: diverges; tool: unknown -- it hangs where numbers wrap, and `c` says so instead of an end
    }
    return 0;
}
