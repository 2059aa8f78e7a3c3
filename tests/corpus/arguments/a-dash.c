// The user gives the word.
//@ native: ends
int main(int argc, char **argv) {
    if (argc > 1 && argv[1][0] == '-') {
        for (;;) { //@ loop: diverges
        }
    }
    return 0;
}
