// A pointer goes down two calls; what it points to is a local of the outer one, not of the one in between.
static void sink(int n, int *above) { //@ recursion: diverges; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
    int mine = 1;
    if (n == 0) {
        *above = 5;
        return;
    }
    while (mine > 0) { //@ loop: diverges; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
        mine--;
        sink(n - 1, n == 2 ? &mine : above);
    }
}

int main(void) {
    int unused = 0;
    sink(2, &unused);
    return unused;
}
