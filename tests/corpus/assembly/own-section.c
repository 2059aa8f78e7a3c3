// What is written to the section in which the function stands is executed.
__attribute__((section("mine"))) void jumps(int n) {
    for (int i = 0; i < n; i++) { //@ loop: neither
        __asm__ volatile(".pushsection mine\n.byte 0xeb,0xfe\n.popsection");
    }
}

void counts(int n) {
    for (int i = 0; i < n; i++) { //@ loop: terminates
    }
}
