// Just past the end of one object another one may start.
char a[4], b[4];

int main(void) {
    char *p = a;
    for (int i = 0; i < 4; i++) { //@ loop: terminates
        p++;
    }
    while (p == b) { //@ loop: neither
    }
    return 0;
}
