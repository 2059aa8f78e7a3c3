// What comes from elsewhere may have no bit set at all.
unsigned long word(void);

int trailing(void) {
    unsigned long a = word();
    int count = 0;
    while ((a & 1) == 0) { //@ loop: neither; ends when `a != 0`
        a >>= 1;
        count++;
    }
    return count;
}

int until_one(void) {
    unsigned long a = word();
    int count = 0;
    do { //@ loop: neither; ends when `a > 1`
        a >>= 1;
        count++;
    } while (a != 1);
    return count;
}
