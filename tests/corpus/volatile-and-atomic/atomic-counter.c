// Others may count, too; this loop has its own counter.
_Atomic unsigned seen;

int main(void) {
    for (int i = 0; i < 5; i++) { //@ loop: terminates
        seen++;
    }
    for (unsigned i = 0;; i += 2) { //@ loop: diverges
        seen++;
        if (i == 5) {
            break;
        }
    }
    return 0;
}
