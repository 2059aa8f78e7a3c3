// The inner call returns before it makes a local of its own; that of the outer call is still there.
static int *kept;

static void f(int n) {
    if (n > 0) {
        int x = 1;
        kept = &x;
        f(n - 1);
        while (*kept) { //@ loop: diverges; tool everywhere: unknown -- objects of many calls stand for one, of which nothing is known
        }
    }
}

int main(void) {
    f(1);
    return 0;
}
