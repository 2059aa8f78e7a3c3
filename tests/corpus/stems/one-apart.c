// Two strides from zero end one apart only if both numbers of rounds are chosen well.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    int i = 0, j = 0;
    while (i < a) { //@ loop: terminates; tool wrap: unknown -- it may wrap on the way to its limit
        i += 3;
    }
    while (j < b) { //@ loop: terminates; tool wrap: unknown -- it may wrap on the way to its limit
        j += 5;
    }
    while (i - j == 1 && j > 1000) { //@ loop: diverges; slow; tool wrap: unknown -- two numbers of rounds that wrap are not solved together
    }
    return 0;
}
