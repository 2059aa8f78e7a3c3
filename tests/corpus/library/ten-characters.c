// However long the input is, ten characters are read.
int getchar(void);

int main(void) {
    for (int n = 0; n < 10 && getchar() != -1; n++) { //@ loop: terminates
    }
    return 0;
}
