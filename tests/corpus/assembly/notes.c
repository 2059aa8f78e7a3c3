// Data in a section that nobody runs is not executed; behind it the text goes on.
int main(void) {
    int sum = 0;
    for (int i = 0; i < 30; i++) { //@ loop: terminates
        __asm__("1:\n\t.section .notes_of_a_tool\n\t.long 1b\n\t.long 1, 30\n\t.text");
        sum += i;
    }
    for (int i = 0; i < 3; i++) { //@ loop: terminates
        __asm__(".pushsection .notes_of_a_tool,\"a\",@progbits\n\t.balign 4\n\t.long 7\n\t.popsection\n\tnop");
        sum += i;
    }
    return sum == 0;
}
