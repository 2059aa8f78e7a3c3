// The store through `kept` may be to several places, of which two and one in between lie in different memories.
int g = 9;
int *kept = &g;

static int run(int n) {
    int r = 0, o = 0, x = 5;
    int *p = &x;
    int a[2];
    a[0] = 4;
    a[1] = 3;
    p = &a[1];
    while (r++ < 6) {
        int t = n;
        kept = &t;
        *kept = 7;
        o = t;
        kept = p;
        p = &g;
    }
    return o;
}

int main(void) {
    observe(run(4));
    observe(run(4));
    return 0;
}
