// The callee sets the caller's counter back through a pointer: another object of the same variable.
static void walk(int n, int *above) { //@ recursion: diverges; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
    if (above) {
        *above = 0;
    }
    if (n == 0) {
        return;
    }
    for (int i = 0; i < 3; i++) { //@ loop: diverges; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
        walk(n - 1, &i);
    }
}

int main(void) {
    walk(1, 0);
    return 0;
}
