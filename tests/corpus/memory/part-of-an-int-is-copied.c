// How much is copied is in a variable.
void *memcpy(void *, const void *, unsigned long);

int main(void) {
    int x = -1;
    int y = 0;
    unsigned long n = 2;
    memcpy(&x, &y, n);
    while (x == -1) { //@ loop: terminates; tool everywhere: unknown -- part of a variable is not followed: all of it becomes unknown
    }
    return 0;
}
