// The search finds the same comma again.
char *strchr(const char *, int);

int main(void) {
    const char *s = "a,b,c";
    while ((s = strchr(s, ',')) != 0) { //@ loop: diverges; tool everywhere: unknown -- where the library finds a byte is not followed
    }
    return 0;
}
