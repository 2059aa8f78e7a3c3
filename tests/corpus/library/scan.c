// Input that is no number is not read, and n stays what it is.
int scanf(const char *, ...);

int main(void) {
    int n = 1;
    while (n != 0) { //@ loop: diverges
        (void)scanf("%d", &n);
    }
    return 0;
}
