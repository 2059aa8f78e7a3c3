// Behind the recursive call there is a loop that only the outer calls get to.
static void down(int n) { //@ recursion: diverges; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
    if (n == 0) {
        return;
    }
    down(n - 1);
    while (n == 2) { //@ loop: diverges; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
    }
}

int main(void) {
    down(3);
    return 0;
}
