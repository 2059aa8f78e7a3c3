// It leads to the variables, not to the words.
//@ native: ends
int main(int argc, char **argv, char **variables) {
    if (variables == argv) {
        for (;;) { //@ loop: neither
        }
    }
    return 0;
}
