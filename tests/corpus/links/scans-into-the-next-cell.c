// The library writes the link of the next cell, by its own type.
int sscanf(const char *, const char *, ...);

struct cell {
    void *next;
};

void walk(struct cell *c, const char *text) {
    while (c) { //@ loop: neither; ends when no cycle is reached from `c` along `next`, and
        struct cell *ahead = c->next;
        if (ahead) {
            sscanf(text, "%p", &ahead->next);
        }
        c = ahead;
    }
}
