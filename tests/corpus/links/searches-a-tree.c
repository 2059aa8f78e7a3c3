// Each step goes one link down, to the left or to the right.
struct node {
    long key;
    struct node *left;
    struct node *right;
};

struct node *find(struct node *t, long key) {
    while (t && t->key != key) { //@ loop: neither; ends exactly when no cell comes twice before the loop is left, from `t` along `left` and `right`
        t = key < t->key ? t->left : t->right;
    }
    return t;
}
