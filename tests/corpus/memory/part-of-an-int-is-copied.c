// How much is copied is in a variable.
void *memcpy(void *, const void *, unsigned long);

int main(void) {
    int x = -1;
    int y = 0;
    unsigned long n = 2;
    memcpy(&x, &y, n);
    while (x == -1) { //@ loop: terminates
    }
    return 0;
}
