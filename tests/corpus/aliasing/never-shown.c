// No unknown function has ever seen the address of x.
extern void tick(void);

int main(void) {
    int x = 1;
    int *p = &x;
    tick();
    while (*p) { //@ loop: diverges
    }
    return 0;
}
