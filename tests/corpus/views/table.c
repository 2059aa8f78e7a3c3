// A static function that only a table names is a function, too, and its loop is listed.
static int count_down(int n) {
    while (n > 0) { //@ loop: terminates
        n--;
    }
    return n;
}

static int count_up(int n) {
    for (int i = 0; i < n; i++) { //@ loop: terminates
        if (i == 1000)
            break;
    }
    return n;
}

struct command {
    const char *name;
    int (*run)(int);
};

const struct command commands[] = {{"down", count_down}, {"up", count_up}};
