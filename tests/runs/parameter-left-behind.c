// The second round reads the parameter of a call that is over.
static int one = 1;
static int *kept = &one;

static int keep(int x, int y) {
    kept = &y;
    return x + *kept;
}

static int (*const functions[2])(int, int) = {keep, keep};

int main(void) {
    for (int i = 0; i < 2; i++) {
        observe(functions[i](*kept, 2));
    }
    return 0;
}
