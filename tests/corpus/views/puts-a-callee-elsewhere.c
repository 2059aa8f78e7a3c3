// A function that comes to a call on a longer way: through a copy, a table, an argument or a result.
struct node {
    struct node *left, *right;
    int n;
};
typedef int (*visitor)(struct node *);
static int plain(struct node *n) { return n->n; }

struct ops {
    visitor first, second;
};
static int by_copy(struct node *n);
static const struct ops fixed = { by_copy, plain };
int copied(struct node *n, int k) {
    struct ops t = fixed;
    int sum = 0;
    for (int i = 0; i < k; i++) //@ loop: neither
        sum += t.first(n);
    return sum;
}
static int by_copy(struct node *n) { //@ recursion: neither
    return copied(n, 2);
}

static int by_table(struct node *n);
static const visitor table[2] = { plain, by_table };
int tabled(struct node *n, int k) {
    int sum = 0;
    for (int i = 0; i < k; i++) //@ loop: neither
        sum += table[i & 1](n);
    return sum;
}
static int by_table(struct node *n) { //@ recursion: neither
    return tabled(n, 2);
}

static int apply(visitor f, struct node *n, int k) {
    int sum = 0;
    for (int i = 0; i < k; i++) //@ loop: neither
        sum += f(n);
    return sum;
}
static int over(struct node *n) { //@ recursion: neither
    return n->n > 0 ? apply(over, n, 2) : 0;
}
int applied(struct node *n) { return apply(over, n, 1); }

static int by_result(struct node *n);
static visitor choose(int which) { return which ? by_result : plain; }
int chosen(struct node *n, int k) {
    int sum = 0;
    for (int i = 0; i < k; i++) //@ loop: neither
        sum += choose(i)(n);
    return sum;
}
static int by_result(struct node *n) { //@ recursion: neither
    return chosen(n, 2);
}

static visitor kept;
static int by_name(struct node *n);
void keep(void) { kept = by_name; }
int named(struct node *n, int k) {
    int sum = 0;
    for (int i = 0; i < k; i++) //@ loop: neither
        sum += kept(n);
    return sum;
}
static int by_name(struct node *n) { //@ recursion: neither
    return named(n, 2);
}

static int through(struct node *n);
static void put(visitor *where) { *where = through; }
int pointed(struct node *n, int k) {
    visitor f = plain;
    put(&f);
    int sum = 0;
    for (int i = 0; i < k; i++) //@ loop: neither
        sum += f(n);
    return sum;
}
static int through(struct node *n) { //@ recursion: neither
    return pointed(n, 2);
}
