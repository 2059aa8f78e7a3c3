// A copy is another object.
struct pair {
    int a;
    int b;
};

int main(void) {
    struct pair p = {1, 2};
    struct pair q = p;
    q.a = 0;
    while (q.a) { //@ loop: terminates; absent
    }
    while (p.a) { //@ loop: diverges
    }
    return 0;
}
