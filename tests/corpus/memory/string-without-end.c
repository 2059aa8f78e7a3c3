// An array without a zero at its end: reading on is undefined. Around the corner it is for ever.
int main(void) {
    char s[3] = {'a', 'b', 'c'};
    unsigned i = 0;
    for (i = 0; s[i % 3]; i++) { //@ loop: diverges; tool ideal: unknown -- over the integers a remainder as an index takes the solver too long
    }
    return 0;
}
