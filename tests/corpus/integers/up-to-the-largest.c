// Every int is at most the largest one.
int main(void) {
    for (int i = 2147483640; i <= 2147483647; i++) { //@ loop: terminates; wrap: diverges; tool: unknown -- it hangs where numbers wrap, and `c` says so instead of an end
    }
    return 0;
}
