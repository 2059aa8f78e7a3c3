// A device has no end, so that nobody may say that what is read comes to one.
//@ native: hangs
typedef struct _IO_FILE FILE;
FILE *fopen(const char *, const char *);
int fgetc(FILE *);

int main(void) {
    FILE *f = fopen("/dev/zero", "r");
    if (!f) {
        return 1;
    }
    while (fgetc(f) != -1) { //@ loop: diverges; tool everywhere: unknown -- a device is the environment
    }
    return 0;
}
