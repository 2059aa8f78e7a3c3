// Which functions a call through a pointer runs, in a file without `main`: those that the file puts there.
struct node {
    struct node *left, *right;
    int n;
};
typedef int (*visitor)(struct node *);

// Only `plain` is put into the first member; but bytes of one member may be copied into another one.
struct pair {
    visitor first, second;
};
static int plain(struct node *n) { return n->n; }
static int deep(struct node *n);
int calls(struct pair *p, struct node *n, int k) {
    p->first = plain;
    p->second = deep;
    int sum = 0;
    for (int i = 0; i < k; i++) //@ loop: terminates; tool everywhere: unknown -- `p->first` may be whatever the file stores somewhere
        sum += p->first(n);
    return sum;
}
static int deep(struct node *n) { //@ recursion: neither
    struct pair p;
    return calls(&p, n, 3);
}

// By the second one it comes back to itself.
struct twin {
    visitor first, second;
};
static int again(struct node *n);
int comes_back(struct twin *t, struct node *n, int k) {
    t->first = plain;
    t->second = again;
    int sum = 0;
    for (int i = 0; i < k; i++) //@ loop: neither
        sum += t->second(n);
    return sum;
}
static int again(struct node *n) { //@ recursion: neither
    struct twin t;
    return comes_back(&t, n, 2);
}
