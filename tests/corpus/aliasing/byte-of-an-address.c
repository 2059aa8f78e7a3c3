// Nobody knows the digits of an address, nor what lies behind an array.
int main(void) {
    int x = 0;
    int a[1] = {0};
    int b[1] = {0};
    union {
        int *p;
        unsigned char digits[sizeof(int *)];
    } u;
    u.p = &x;
    while (u.digits[0] == 0) { //@ loop: neither
    }
    int *end = a + 1;
    while (end == b) { //@ loop: neither
    }
    return 0;
}
