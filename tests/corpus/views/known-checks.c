// A check whose outcome the compiler knows leaves a block behind to which nothing leads: it enters no loop.
struct bits {
    unsigned char *to;
    unsigned short word;
};

// The shift by 8 is checked, and its check always holds.
void packed(struct bits *b, const unsigned char *counts, int n) {
    for (int i = 0; i < n; i++) { //@ loop: terminates
        unsigned left = counts[i];
        do { //@ loop: terminates
            *b->to++ = (unsigned char)(b->word >> 8);
            b->word = (unsigned short)(b->word << 3);
        } while (left-- > 0);
    }
}

// What a check asks about is no exit: only `n` decides.
int shifted(const int *by, int *to, int n) {
    int sum = 0, carry = 1;
    while (n > 0) { //@ loop: terminates
        carry = carry << by[n];
        sum += carry / to[n];
        to[n] = sum;
        n--;
    }
    return sum;
}

// A round that changes nothing comes back.
void stuck(struct bits *b, int n) {
    while (n > 0) { //@ loop: diverges when n > 0
        b->word = (unsigned short)(b->word >> 8);
    }
}
