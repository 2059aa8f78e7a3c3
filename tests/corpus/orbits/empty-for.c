// Nothing to decide.
int main(void) {
    for (;;) { //@ loop: diverges
    }
}
