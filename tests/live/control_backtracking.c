/* A regular expression that is only slow: (a|a)*b on a row of a's tries every way to split it. */
//@ attach -O0: unknown
static int match(const char *at) {
    if (*at == 'b')
        return 1;
    if (*at != 'a')
        return 0;
    return match(at + 1) || match(at + 1);
}

int main(void) {
    return match("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
}
