// Two strings are equal that are not at one address.
int strcmp(const char *, const char *);

int main(void) {
    char s[4] = "end";
    while (strcmp(s, "enD") == 0) { //@ loop: terminates; tool everywhere: unknown -- what the library compares is not followed
    }
    while (strcmp(s, "end") == 0) { //@ loop: diverges; tool everywhere: unknown -- what the library compares is not followed
    }
    return 0;
}
