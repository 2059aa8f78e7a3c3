/* Divisions of 16 and of 8 bits. */
//@ attach: proved
static unsigned short remainder16(unsigned short a, unsigned short b) {
    unsigned short high = 0;
    __asm__("divw %2" : "+a"(a), "+d"(high) : "r"(b));
    return high;
}

static signed char remainder8(signed char a, signed char b) {
    short wide = a;
    __asm__("idivb %1" : "+a"(wide) : "q"(b));
    return (signed char)(wide >> 8);
}

int main(void) {
    for (unsigned i = 0;; i++) {
        if (remainder16((unsigned short)i, 321) > 320 || remainder8((signed char)i, 10) > 9)
            return 1;
    }
}
