// memset writes bytes, not ints.
void *memset(void *, int, unsigned long);

int main(void) {
    int a[4];
    memset(a, 1, sizeof a);
    while (a[1] != 0x01010101) { //@ loop: terminates; absent
    }
    memset(a, 0, sizeof a);
    while (a[3] == 0) { //@ loop: diverges
    }
    return 0;
}
