// Another thread may set the flag, or may not.
_Atomic int ready;

int main(void) {
    while (ready == 0) { //@ loop: neither
    }
    return 0;
}
