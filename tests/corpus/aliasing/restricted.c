// What a restricted pointer leads to has no other name where it is written.
static int set(int *restrict p, int *restrict q) {
    *p = 1;
    *q = 2;
    return *p;
}

static int get(int *p, int *q) {
    *p = 1;
    *q = 2;
    return *p;
}

static int one_object(void) {
    int x = 0;
    set(&x, &x);
    while (x) { //@ loop: neither; wrap: diverges; ideal: diverges
    }
    return 0;
}

static int two_objects(void) {
    int x = 0, y = 0;
    set(&x, &y);
    while (x) { //@ loop: diverges
    }
    return 0;
}

static int not_restricted(void) {
    int x = 0;
    get(&x, &x);
    while (x) { //@ loop: diverges
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 1) {
        return one_object();
    }
    return argc == 2 ? two_objects() : not_restricted();
}
