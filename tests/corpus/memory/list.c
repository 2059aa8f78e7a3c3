// A list that ends with null.
struct node {
    struct node *next;
};

int main(void) {
    struct node c = {0};
    struct node b = {&c};
    struct node a = {&b};
    for (struct node *p = &a; p; p = p->next) { //@ loop: terminates
    }
    return 0;
}
