// What is stored through a member of one struct leaves a member of another one as it is: so says C.
struct source {
    int n;
    const short *data;
};

struct statistics {
    int seen;
    int negative;
};

void count(struct source *s, struct statistics *to) {
    for (int i = 0; i < s->n; i++) { //@ loop: terminates
        if (s->data[i] < 0) {
            to->negative = i;
        }
        to->seen = i;
    }
}

void scale(struct source *s, float *to) {
    for (int i = 0; i < s->n; i++) { //@ loop: terminates
        to[i] = 0.5f;
    }
}
