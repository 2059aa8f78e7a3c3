// The counter falls by eights and is without a sign: it comes to zero because of where it begins. What stands before that does not matter.
extern const unsigned char table[256];
int other(int);

int bits(unsigned long x, int how) {
    int more = 0;
    if (how > 3) {
        more = other(how);
    } else if (how == 2) {
        more = other(1) + other(2);
    }
    switch (more) {
    case 1:
        x ^= 4;
        break;
    case 7:
        x += 9;
        break;
    default:
        x = ~x;
    }
    unsigned long a;
    for (a = 56; a > 0; a -= 8) { //@ loop: terminates
        if (((x >> a) & 0xff) != 0) {
            break;
        }
    }
    return (int)a + table[x >> a & 0xff] + more;
}

int from_elsewhere(unsigned long x) {
    unsigned long a = (unsigned long)other(8);
    for (; a > 0; a -= 8) { //@ loop: neither
        if (a == 9) {
            x++;
        }
    }
    return (int)x;
}
