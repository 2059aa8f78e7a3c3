// Each byte is read once, and then there are ends only.
//@ native: ends
int getchar(void);

int main(void) {
    int ends = 0;
    while (ends < 3) { //@ loop: terminates; slow wrap
        if (getchar() == -1) {
            ends++;
        } else {
            ends = 0;
        }
    }
    return 0;
}
