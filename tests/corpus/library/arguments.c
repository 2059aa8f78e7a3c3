// The arguments end with null, and there are not fewer than none.
int main(int argc, char **argv) {
    int n = 0;
    while (argv[n]) { //@ loop: terminates; slow wrap
        n++;
    }
    while (argc < 0) { //@ loop: terminates; slow wrap
    }
    while (argc == 4) { //@ loop: diverges when argc == 4
    }
    return 0;
}
