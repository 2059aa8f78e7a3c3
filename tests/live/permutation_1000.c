/* A walk through a thousand cells that comes back to the first one: no two iterations read the same cell. */
//@ attach: proved
static int next[1000];

int main(void) {
    for (int i = 0; i < 1000; i++)
        next[i] = (i + 7) % 1000;
    int at = 0;
    while (next[at] >= 0)
        at = next[at];
    return 0;
}
