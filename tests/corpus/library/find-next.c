// The search goes on behind what was found.
char *strchr(const char *, int);

int main(void) {
    const char *s = "a,b,c";
    while ((s = strchr(s, ',')) != 0) { //@ loop: terminates; tool everywhere: unknown -- where the library finds a byte is not followed
        s++;
    }
    return 0;
}
