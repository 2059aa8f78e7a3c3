// Nobody may rely on an end that stays, neither for an end nor for a hang: after the first one there may be more on a terminal, and
// a plain file has none.
//@ native: ends
int getchar(void);

int main(void) {
    if (getchar() == -1 && getchar() != -1) {
        for (;;) { //@ loop: neither
        }
    }
    return 0;
}
