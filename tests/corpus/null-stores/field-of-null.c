// The address of a field of null is not null, and no object either.
struct pair {
    int a;
    int b;
};

int main(void) {
    struct pair *p = 0;
    p->b = 1;
    while (1) { //@ loop: terminates; absent; tool everywhere: unknown -- a register may be at so small a number
    }
    return 0;
}
