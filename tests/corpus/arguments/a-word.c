// All of it is the user's.
//@ native: ends
int main(int argc, char **argv) {
    if (argc == 3 && argv[2][0] == 'g' && argv[2][1] == 'o' && argv[2][2] == 0) {
        while (argv[1][0] != 'x') { //@ loop: diverges
        }
    }
    return 0;
}
