// A copy of a volatile structure reads what the environment says.
struct flag {
    int up;
};
static volatile struct flag shared = {1};

int main(void) {
    struct flag seen;
    do { //@ loop: neither
        seen = shared;
    } while (seen.up);
    return 0;
}
