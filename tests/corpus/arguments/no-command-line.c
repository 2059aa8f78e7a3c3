// No user can give these.
//@ native: ends
int main(int argc, char **argv) {
    if (argc > 1 && argv[1] == 0) {
        for (;;) { //@ loop: terminates; tool everywhere: unknown -- of long command lines nothing is known
        }
    }
    if (argc == 2 && argv[2] != 0) {
        for (;;) { //@ loop: terminates; tool wrap: unknown -- of long command lines nothing is known
        }
    }
    if (argc > 2 && argv[1] == argv[2]) {
        for (;;) { //@ loop: neither
        }
    }
    if (argc > 1 && argv[1] == (char *)argv) {
        for (;;) { //@ loop: neither
        }
    }
    return 0;
}
