// What a pointer points to is read several times in a round, and is the same each time until the pointer moves or something may have been written there.
struct reader {
    const unsigned char *at;
    int errors;
};

static int is_blank(unsigned char c) {
    return c == ' ' || c == '\t';
}

void skip_blanks(struct reader *r) {
    while (*r->at == ' ' || (9 <= *r->at && *r->at <= 10) || *r->at == 13) { //@ loop: terminates
        *r->at ? r->at++ : r->at;
    }
}

int count(const unsigned char *s) {
    int n = 0;
    while (*s == ' ' || *s == ',') { //@ loop: terminates; slow wrap
        n += *s == ',';
        s += *s != 0;
    }
    return n;
}

void with_callee(struct reader *r) {
    while (is_blank(*r->at)) { //@ loop: terminates
        r->at++;
    }
}

struct item {
    int size;
    int kind;
};

// The size of an item is compared and then added: a size of 0 is none.
unsigned items(const struct item *i, unsigned left) {
    unsigned n = 0;
    while (left > 0 && i->size > 0) { //@ loop: terminates
        left = i->size < left ? left - i->size : 0;
        i++;
        n++;
    }
    return n;
}
