// p is turned to another variable behind its back.
int main(void) {
    int x = 1;
    int y = 0;
    int *p = &y;
    int **pp = &p;
    *pp = &x;
    while (*p) { //@ loop: diverges
        y = 0;
    }
    return 0;
}
