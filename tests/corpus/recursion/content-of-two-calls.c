// What one call writes into its object is not in the object of another call.
static void down(int n, const int *above) { //@ recursion: diverges; tool everywhere: unknown -- objects of many calls stand for one, of which nothing is known
    int mine = n;
    if (above && *above == mine) {
        return;
    }
    down(1 - n, &mine);
}

int main(void) {
    down(0, 0);
    return 0;
}
