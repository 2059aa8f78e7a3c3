// What a small function of the same file gives back, or writes, decides these loops.
struct reader {
    const unsigned char *at, *end;
};

static int next(struct reader *r) { return r->at < r->end ? *r->at++ : -1; }

unsigned sum(struct reader *r) {
    unsigned s = 0;
    int c;
    while ((c = next(r)) >= 0) { //@ loop: terminates
        s += (unsigned)c;
    }
    return s;
}

// It does not always move on.
static int peek_or_next(struct reader *r, int moves) {
    if (r->at >= r->end) return -1;
    return moves ? *r->at++ : *r->at;
}

unsigned sum_of_some(struct reader *r, const int *moves) {
    unsigned s = 0;
    int c;
    while ((c = peek_or_next(r, *moves)) >= 0) { //@ loop: diverges; slow ideal; tool: unknown; tool wrap: unknown -- no endless run is found through so much memory from before
        s += (unsigned)c;
    }
    return s;
}

// The parameter is the callee's own: what it does to it is no matter here.
static int counted_down(int n) {
    while (n > 10) n -= 10; //@ loop: terminates
    return n;
}

int keeps_its_argument(int n) {
    int rounds = 0;
    for (int i = n; counted_down(i) > 3;) { //@ loop: diverges; slow everywhere
        rounds++;
    }
    return rounds;
}

// The result is as narrow as its type says.
static unsigned char halved(unsigned n) { return (unsigned char)(n / 2); }

unsigned halves(unsigned n) {
    unsigned rounds = 0;
    for (; n > 0; n = halved(n)) { //@ loop: terminates
        rounds++;
    }
    return rounds;
}

static unsigned char larger(unsigned n) { return (unsigned char)(n + 1); }

unsigned never_300(unsigned n) {
    unsigned rounds = 0;
    for (; n < 300; n = larger(n)) { //@ loop: diverges; slow everywhere
        rounds++;
    }
    return rounds;
}

// One callee within another, with a choice between.
static long step(long i, long by) { return by > 0 ? i + by : i + 1; }
static int is_before(long i, long n) { return i < n; }
static long moved(long i, long by) { return step(i, by & 7); }

int visits(long from, long to, long by) {
    int visited = 0;
    for (long i = from; is_before(i, to); i = moved(i, by)) { //@ loop: terminates; wrap: diverges; tool wrap: unknown -- no engine finds a step that never meets `to`
        visited ^= 1;
    }
    return visited;
}

// The callee writes what the caller counts.
struct job {
    int left;
    char *note;
};
static void done(struct job *j) {
    j->left--;
    *j->note = 0;
}

void all_jobs(struct job *j) {
    char note;
    j->note = &note;
    while (j->left > 0) { //@ loop: terminates; tool everywhere: unknown -- nothing in the view keeps what `j->note` points to apart from `j->left`
        done(j);
    }
}

// A local object of the callee begins anew in each call.
static int own(int i) {
    int kept[2] = {i, 1};
    return kept[0] - kept[1];
}

int from_own(int i) {
    int rounds = 0;
    while (i > 0) { //@ loop: terminates
        i = own(i);
        rounds ^= 1;
    }
    return rounds;
}
