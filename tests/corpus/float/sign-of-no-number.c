// Which sign the quotient has nobody says.
int main(void) {
    double zero = 0.0;
    union {
        double d;
        unsigned long long bits;
    } u;
    u.d = zero / zero;
    while (u.bits >> 63) { //@ loop: neither
    }
    return 0;
}
