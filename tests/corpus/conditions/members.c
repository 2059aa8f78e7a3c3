// The words are those of the source, also for what stands in memory.
struct walk {
    int left;
    int step;
};

void fill(struct walk *);

void go(struct walk *w) {
    fill(w);
    while (w->left > w->step) { //@ loop: neither; ends when `w->step > 0`
        w->left -= w->step;
    }
}

static struct walk own;

void go_here(void) {
    fill(&own);
    while (own.left > own.step) { //@ loop: neither; ends when `own.step > 0`
        own.left -= own.step;
    }
}
