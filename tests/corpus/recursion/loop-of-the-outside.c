// The innermost call resets the counter of a loop that calls the recursion.
static void reset(int depth, int *counter) { //@ recursion: terminates
    if (depth == 0) {
        *counter = 0;
        return;
    }
    reset(depth - 1, counter);
}

int main(void) {
    for (int i = 0; i < 10; i++) { //@ loop: diverges
        reset(1, &i);
    }
    return 0;
}
