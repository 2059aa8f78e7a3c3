// Behind the recursive call there is a loop that only the outer calls get to.
static void down(int n) { //@ recursion: diverges
    if (n == 0) {
        return;
    }
    down(n - 1);
    while (n == 2) { //@ loop: diverges
    }
}

int main(void) {
    down(3);
    return 0;
}
