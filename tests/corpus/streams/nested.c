// Each call has read one more byte.
//@ native: ends
int getchar(void);

static int depth(void) { //@ recursion: terminates
    if (getchar() != '(') {
        return 0;
    }
    return depth() + 1;
}

int main(void) {
    return depth();
}
