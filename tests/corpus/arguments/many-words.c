// Only short command lines are chosen.
int main(int argc, char **argv) {
    if (argc == 5 && argv[4][0] == 'x') {
        for (;;) { //@ loop: diverges; tool: unknown -- only short command lines are chosen
        }
    }
    while (argc == 5) { //@ loop: diverges
    }
    return 0;
}
