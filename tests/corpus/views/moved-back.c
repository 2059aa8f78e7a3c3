// A place that moves is another one afterwards, and may be written by another name.
extern void log_byte(int c);

struct reader {
    const unsigned char *at;
    const unsigned char *begin;
};

// `other` may be `&r->at`.
void rewound(struct reader *r, const unsigned char **other) {
    while (*r->at == ' ') { //@ loop: diverges when other == &r->at; tool everywhere: unknown -- two names of one pointer are no condition yet
        r->at++;
        *other = r->begin;
    }
}

// The callee may set `r->at`.
void logged(struct reader *r) {
    while (*r->at == ' ') { //@ loop: neither
        r->at++;
        log_byte(*r->at);
    }
}
