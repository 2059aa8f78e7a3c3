// What comes after two bytes is the end.
//@ native: ends
int getchar(void);

int main(void) {
    if (getchar() != 'a' || getchar() != 'b') {
        return 0;
    }
    while (getchar() != 'c') { //@ loop: diverges
    }
    return 0;
}
