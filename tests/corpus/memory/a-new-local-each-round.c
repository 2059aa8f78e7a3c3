// The address is given away, so that each round has another object; that is no reason to end.
extern void use(int *p);

int main(void) {
    for (;;) { //@ loop: diverges; tool everywhere: unknown -- addresses of new objects run out in the model
        int x = 0;
        use(&x);
    }
}
