// -1 does not fit into an unsigned char, so that the end of the file is never seen.
int getchar(void);

int main(void) {
    unsigned char c;
    do { //@ loop: diverges
        c = getchar();
    } while (c != -1);
    return 0;
}
