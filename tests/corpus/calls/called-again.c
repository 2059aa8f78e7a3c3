// A function from elsewhere may call any function that others see, the one that called it included. What that leaves in static objects is there when it comes back.
int ext(void);

void steps(int n) {
    static int step;
    step = 1;
    for (int i = 0; i < n; i += step) { //@ loop: neither
        ext();
    }
    step = 0;
}

static int left;

static void count(void) {
    while (left > 0) { //@ loop: neither
        left--;
        ext();
    }
}

void counted(int n) {
    if (n <= 0) {
        left = 7;
        return;
    }
    left = n;
    count();
}

void calls_back(int n, void (*callback)(void)) {
    static int by;
    if (n == 0) {
        by = 0;
        return;
    }
    by = 1;
    for (int i = 0; i < 100; i += by) { //@ loop: neither
        callback();
    }
}

void own(int n) {
    int step = 1;
    for (int i = 0; i < n; i += step) { //@ loop: terminates
        ext();
    }
}
