// Two of the four bytes become zero.
void *memset(void *, int, unsigned long);

int main(void) {
    int x = -1;
    memset(&x, 0, 2);
    while (x == -1) { //@ loop: terminates; tool everywhere: unknown -- part of a variable is not followed: all of it becomes unknown
    }
    while (x == -65536) { //@ loop: diverges; tool everywhere: unknown -- part of a variable is not followed: all of it becomes unknown
    }
    return 0;
}
