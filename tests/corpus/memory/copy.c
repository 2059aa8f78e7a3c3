// memcpy copies the values of the moment.
void *memcpy(void *, const void *, unsigned long);

int main(void) {
    int a[3] = {1, 2, 3};
    int b[3] = {0, 0, 0};
    memcpy(b, a, sizeof b);
    a[2] = 0;
    while (b[2] > 0) { //@ loop: terminates
        b[2]--;
    }
    while (a[1] + b[1] == 4) { //@ loop: diverges
        a[0] = b[0];
    }
    return 0;
}
