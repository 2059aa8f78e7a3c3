// The input is finite.
int getchar(void);

int main(void) {
    while (getchar() != -1) { //@ loop: terminates
    }
    return 0;
}
