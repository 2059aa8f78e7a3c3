// Without a main another function may have been called before.
static int *shared;
static int value;
static void (*hook)(void);

void set(int *p) {
    shared = p;
}

static void one(void) {
    value = 1;
}

void install(void) {
    hook = one;
}

int *address(void) {
    return &value;
}

int wait_for(void) {
    while (*shared) { //@ loop: diverges when *shared != 0
    }
    return 0;
}

void through_hook(void) {
    value = 0;
    if (hook) {
        hook();
    }
    while (value) { //@ loop: diverges when hook == one
    }
}

void through_argument(int *p) {
    value = 0;
    *p = 1;
    while (value) { //@ loop: diverges when p == &value
    }
}
