// A static variable is not the library's.
//@ native: hangs
int getopt(int, char *const *, const char *);

static int optind = 1;

int main(void) {
    volatile int sink = 0;
    char *args[] = {"x", "-a", 0};
    getopt(2, args, "a");
    while (optind == 1) sink = 1; //@ loop: diverges
    return 0;
}
