// What lies behind the end of a string is nobody's choice.
//@ native: ends
int main(int argc, char **argv) {
    if (argc == 2 && argv[1][0] == 0 && argv[1][9] == 'x') {
        for (;;) { //@ loop: neither
        }
    }
    return 0;
}
