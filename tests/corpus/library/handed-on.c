// Memory that the caller owns is only handed on to the library, which finds it as large as it needs it.
typedef unsigned long size_t;
void *memcpy(void *, const void *, size_t);
int memcmp(const void *, const void *, size_t);

int copies(char *to, const char *from, unsigned n) {
    while (n) { //@ loop: diverges
        memcpy(to, from, 100);
    }
    return 0;
}

int waits(const char *a, const char *b, unsigned n) {
    while (n < 10) { //@ loop: diverges
        if (memcmp(a, b, 64) > 0) {
            n++;
        }
    }
    return 0;
}
