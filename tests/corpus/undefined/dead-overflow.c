// The counter overflows, but decides nothing.
int main(void) {
    for (int i = 0;; i++) { //@ loop: diverges
    }
    return 0;
}
