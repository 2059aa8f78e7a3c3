// Two streams that are open at one time are different ones, so that only a failure ends it: twice, one after the other.
typedef struct file FILE;
FILE *fopen(const char *, const char *);

int main(void) {
    FILE *last = 0;
    while (1) { //@ loop: neither
        FILE *now = fopen("a", "r");
        if (now && now == last) {
            return 1;
        }
        if (!now && !last) {
            return 0;
        }
        last = now;
    }
}
