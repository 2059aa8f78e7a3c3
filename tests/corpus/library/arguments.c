// The arguments end with null, and there are not fewer than none.
int main(int argc, char **argv) {
    int n = 0;
    while (argv[n]) { //@ loop: terminates
        n++;
    }
    while (argc < 0) { //@ loop: terminates
    }
    while (argc == 4) { //@ loop: diverges when argc == 4
    }
    return 0;
}
