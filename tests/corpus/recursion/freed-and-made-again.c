// The skipped call frees what the loop counts in, and makes a new one.
void *malloc(unsigned long);
void free(void *);
_Noreturn void exit(int);

static int *box;

static void fill(void) {
    box = malloc(sizeof *box);
    if (!box) {
        exit(1);
    }
    *box = 3;
}

static void drain(int n) { //@ recursion: neither
    if (n == 0) {
        free(box);
        fill();
        return;
    }
    while (*box > 0) { //@ loop: neither
        --*box;
        drain(n - 1);
    }
}

int main(void) {
    fill();
    drain(1);
    return 0;
}
