// From corner to corner of a two-dimensional array.
int main(void) {
    int grid[2][2] = {{1, 0}, {0, 1}};
    int r = 0;
    int c = 0;
    while (grid[r][c]) { //@ loop: diverges
        r ^= 1;
        c ^= 1;
    }
    return 0;
}
