// The words are those of the source, also for what stands in memory.
struct walk {
    int at;
    int step;
    int end;
};

void fill(struct walk *);

void go(struct walk *w) {
    fill(w);
    while (w->at < w->end) { //@ loop: neither; ends when `w->step > 0`
        w->at += w->step;
    }
}

static struct walk own;

void go_here(void) {
    fill(&own);
    while (own.at < own.end) { //@ loop: neither; ends when `own.step > 0`
        own.at += own.step;
    }
}
