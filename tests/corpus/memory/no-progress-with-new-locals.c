// A new object in each round is no progress.
extern void use(int *p);

int main(void) {
    int i = 0;
    while (i < 10) { //@ loop: diverges; tool everywhere: unknown -- addresses of new objects run out in the model
        int x = 0;
        use(&x);
        i = (i + 1) % 5;
    }
    return 0;
}
