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
    for (int i = 0; i < k; i++) //@ loop: neither; tool everywhere: unknown -- it may run `by_copy`, which calls it
        sum += t.first(n);
    return sum;
}
static int by_copy(struct node *n) { return copied(n, 2); }

static int by_table(struct node *n);
static const visitor table[2] = { plain, by_table };
int tabled(struct node *n, int k) {
    int sum = 0;
    for (int i = 0; i < k; i++) //@ loop: neither; tool everywhere: unknown -- it may run `by_table`, which calls it
        sum += table[i & 1](n);
    return sum;
}
static int by_table(struct node *n) { return tabled(n, 2); }

static int apply(visitor f, struct node *n, int k) {
    int sum = 0;
    for (int i = 0; i < k; i++) //@ loop: neither; tool everywhere: unknown -- it may run `over`, which calls it
        sum += f(n);
    return sum;
}
static int over(struct node *n) { return n->n > 0 ? apply(over, n, 2) : 0; }
int applied(struct node *n) { return apply(over, n, 1); }

static int by_result(struct node *n);
static visitor choose(int which) { return which ? by_result : plain; }
int chosen(struct node *n, int k) {
    int sum = 0;
    for (int i = 0; i < k; i++) //@ loop: neither; tool everywhere: unknown -- it may run `by_result`, which calls it
        sum += choose(i)(n);
    return sum;
}
static int by_result(struct node *n) { return chosen(n, 2); }

static visitor kept;
static int by_name(struct node *n);
void keep(void) { kept = by_name; }
int named(struct node *n, int k) {
    int sum = 0;
    for (int i = 0; i < k; i++) //@ loop: neither; tool everywhere: unknown -- it may run `by_name`, which calls it
        sum += kept(n);
    return sum;
}
static int by_name(struct node *n) { return named(n, 2); }

static int through(struct node *n);
static void put(visitor *where) { *where = through; }
int pointed(struct node *n, int k) {
    visitor f = plain;
    put(&f);
    int sum = 0;
    for (int i = 0; i < k; i++) //@ loop: neither; tool everywhere: unknown -- it may run `through`, which calls it
        sum += f(n);
    return sum;
}
static int through(struct node *n) { return pointed(n, 2); }
