// Each call has an array of a length of its own.
extern unsigned char __VERIFIER_nondet_uchar(void);

static void set(int *to) {
    *to = 7;
}

static int down(int n) { //@ recursion: terminates; tool everywhere: unknown -- arrays of many calls stand for one, of which nothing is known
    int all[n + 1];
    for (int i = 0; i <= n; i++) { //@ loop: terminates; slow wrap
        set(&all[i]);
    }
    return n == 0 ? all[0] : down(n - 1);
}

int main(void) {
    return down(__VERIFIER_nondet_uchar());
}
