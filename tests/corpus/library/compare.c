// Two strings are equal that are not at one address.
int strcmp(const char *, const char *);

int main(void) {
    char s[4] = "end";
    while (strcmp(s, "enD") == 0) { //@ loop: terminates
    }
    while (strcmp(s, "end") == 0) { //@ loop: diverges
    }
    return 0;
}
