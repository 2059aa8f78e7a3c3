// A call through a table of functions leaves alone what the functions in it leave alone.
int limit = 5;
static int step(int a, int b) { return a + b; }
static int stay(int a, int b) { return a | (b & 1); }
static int (*const table[2])(int, int) = {step, stay};
int main(void) {
    int n = 0;
    while (n < limit) { //@ loop: terminates
        n = table[0](n, 1);
    }
    return n;
}
