// There always is one.
//@ native: ends
int main(int argc, char **argv) {
    while (!argv) { //@ loop: terminates
    }
    return 0;
}
