// Only short command lines are chosen.
//@ native: ends
int main(int argc, char **argv) {
    if (argc == 7 && argv[6][0] == 'x') {
        for (;;) { //@ loop: diverges; tool everywhere: unknown -- only short command lines are chosen
        }
    }
    while (argc == 7) { //@ loop: diverges; tool everywhere: unknown -- only short command lines are chosen
    }
    return 0;
}
