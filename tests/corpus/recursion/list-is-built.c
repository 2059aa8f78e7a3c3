// Each call makes an object.
void *malloc(unsigned long);
extern unsigned char __VERIFIER_nondet_uchar(void);

struct node {
    struct node *next;
};

static struct node *build(unsigned n) { //@ recursion: terminates
    struct node *made = n == 0 ? 0 : malloc(sizeof *made);
    if (!made) {
        return 0;
    }
    made->next = build(n - 1);
    return made;
}

int main(void) {
    return build(__VERIFIER_nondet_uchar()) != 0;
}
