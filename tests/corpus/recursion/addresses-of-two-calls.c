// Locals of two calls that are there at one time have different addresses.
static void down(int *above) { //@ recursion: diverges; tool everywhere: unknown -- addresses of objects of two calls are not told apart
    int here = 0;
    if (above == &here) {
        return;
    }
    down(&here);
}

int main(void) {
    int outside = 0;
    down(&outside);
    return outside;
}
