// An empty input.
//@ native: hangs
int getchar(void);

int main(void) {
    while (getchar() == -1) { //@ loop: diverges
    }
    return 0;
}
