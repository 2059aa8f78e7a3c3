// There are `argc` of them, and each has an end.
//@ native: ends
int main(int argc, char **argv) {
    for (int i = 0; i < argc; i++) { //@ loop: terminates
    }
    int n = 0;
    while (argc > 1 && argv[1][n]) { //@ loop: terminates; tool wrap: unknown -- in words of 64 bits the end of the string needs an invariant over array contents
        n++;
    }
    return 0;
}
