// A jump back to before the declaration makes the value unknown, without leaving the block.
int main(void) {
    int first = 1;
again:; //@ loop: neither; within 8 lines
    int k;
    if (first) {
        k = 1;
        first = 0;
    }
    if (k) {
        goto again;
    }
    return 0;
}
