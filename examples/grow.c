/* A buffer that doubles until the message fits.
   Look for: an endless run through a wrap that C defines. Once the size has no bits left it is 0, and 0 doubles to 0. */
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned needed = __VERIFIER_nondet_uint();
    unsigned size = __VERIFIER_nondet_uint();
    if (size == 0)
        return 1;
    while (size < needed)
        size *= 2;
    return 0;
}
