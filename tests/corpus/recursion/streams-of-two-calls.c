// Two streams that are open at one time are different ones; only if none can be opened does it end.
typedef struct file FILE;
FILE *fopen(const char *, const char *);

static int again(FILE *last) { //@ recursion: neither
    FILE *now = fopen("a", "r");
    if (!now || now == last) {
        return 0;
    }
    return again(now) + 1;
}

int main(void) {
    return again(0);
}
