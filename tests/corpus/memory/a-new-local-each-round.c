// The address is given away, so that each round has another object; that is no reason to end.
extern void use(int *p);

int main(void) {
    for (;;) { //@ loop: diverges
        int x = 0;
        use(&x);
    }
}
