// A _Bool bit-field of one bit keeps 2 as true; an unsigned one keeps its lowest bit.
extern int __VERIFIER_nondet_int(void);

struct flags {
    _Bool yes : 1;
    unsigned bit : 1;
};

int main(void) {
    int x = __VERIFIER_nondet_int();
    struct flags f;
    f.yes = x & 2;
    f.bit = x & 2;
    while (f.bit) { //@ loop: terminates; tool everywhere: unknown -- that the second bit is not kept needs an invariant over bits
    }
    while (f.yes) { //@ loop: diverges when (x & 2) != 0; tool: unknown; tool ideal: unknown -- the rest of the word was never set, and is read to be kept; over the integers a field is a sum of remainders
    }
    return 0;
}
