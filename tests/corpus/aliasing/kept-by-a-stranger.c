// An unknown function may keep the address, and a later one may use it.
extern void keep(int *p);
extern void tick(void);

int main(void) {
    int x = 0;
    keep(&x);
    x = 1;
    while (x) { //@ loop: neither
        tick();
    }
    return 0;
}
