// There always is one.
int main(int argc, char **argv) {
    while (!argv) { //@ loop: terminates
    }
    return 0;
}
