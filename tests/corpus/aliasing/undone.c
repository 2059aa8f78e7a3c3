// Two pointers to one variable undo each other.
int main(void) {
    int x = 10;
    int *p = &x;
    int *q = &x;
    while (*p > 0) { //@ loop: diverges
        --*p;
        ++*q;
    }
    return 0;
}
