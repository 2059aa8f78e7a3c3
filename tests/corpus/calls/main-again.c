// main may call itself.
static int n;

int main(void) { //@ recursion: terminates
    n++;
    if (n < 4) {
        return main();
    }
    return 0;
}
