// Every int is at most the largest one.
int main(void) {
    for (int i = 2147483640; i <= 2147483647; i++) { //@ loop: terminates; wrap: diverges
    }
    return 0;
}
