/* An offset that moves by the length of a match, which is zero. */
//@ attach: proved
static volatile int matches;

static int match_length(const char *text) {
    int n = 0;
    while (text[n] == '^')
        n++;
    return n;
}

int main(void) {
    const char *text = "plain text";
    int offset = 0;
    while (text[offset] != 0) {
        offset += match_length(text + offset);
        matches = offset;
    }
    return 0;
}
