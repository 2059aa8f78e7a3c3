// The compiler folds the shift, whose amount is not below the width; nothing is left of it but that it is undefined.
int main(void) {
    int kept = 1;
    while (kept) { //@ loop: terminates; absent
        (void)(256 >> 128);
    }
    return kept;
}
