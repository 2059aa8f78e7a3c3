// A number that is made from addresses at compile time is one that pointers can be made from.
//@ native: hangs
typedef unsigned long word;
int x = 1;
int y = 1;
word key = 12345;

int main(void) {
    word mixed = (word)&x ^ (word)&y;
    volatile int *p = (volatile int *)(mixed ^ (word)&y);
    while (*p == 1) { //@ loop: diverges; tool everywhere: unknown -- which object it is nobody followed
        *p = 1;
    }
    return 0;
}
