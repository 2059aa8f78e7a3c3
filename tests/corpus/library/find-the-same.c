// The search finds the same comma again.
char *strchr(const char *, int);

int main(void) {
    const char *s = "a,b,c";
    while ((s = strchr(s, ',')) != 0) { //@ loop: diverges
    }
    return 0;
}
