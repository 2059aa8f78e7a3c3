// What lies behind the null is nobody's choice.
//@ native: ends
int main(int argc, char **argv) {
    if (argc == 2 && argv[3] == 0) {
        for (;;) { //@ loop: neither
        }
    }
    return 0;
}
