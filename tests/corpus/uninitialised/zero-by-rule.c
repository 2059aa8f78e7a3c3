// What an initialiser does not mention is zero, and so are static objects.
struct pair {
    int a;
    int b;
};
static int count;

int main(void) {
    struct pair p = {1};
    while (count > 0) { //@ loop: terminates; absent
        count = 1;
    }
    while (p.b == 0) { //@ loop: diverges
    }
    return 0;
}
