// A string that is changed is no other string.
//@ native: ends
int main(int argc, char **argv) {
    if (argc == 3 && argv[2][0] == 'b') {
        argv[1][0] = 'a';
        if (argv[2][0] == 'a') {
            for (;;) { //@ loop: neither
            }
        }
        while (argv[1][0] == 'a') { //@ loop: diverges
        }
    }
    return 0;
}
