// The digits are the user's.
//@ native: ends
int main(int argc, char **argv) {
    int n = 0;
    if (argc != 2) {
        return 1;
    }
    for (int i = 0; i < 2; i++) { //@ loop: terminates
        if (argv[1][i] < '0' || argv[1][i] > '9') {
            return 1;
        }
        n = n * 10 + (argv[1][i] - '0');
    }
    while (n == 42) { //@ loop: diverges
    }
    return 0;
}
