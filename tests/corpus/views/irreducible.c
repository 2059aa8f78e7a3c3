// The cycle inside has two entries, so no view leaves it out by its header; the loop by itself has none.
int weave(int n, int middle) {
    int steps = 0;
    while (n > 0) { //@ loop: terminates
        int k = 4;
        if (middle)
            goto second;
    first: //@ loop: terminates; within 6 lines
        k--;
    second:
        k--;
        if (k > 0)
            goto first;
        n--;
    }
    return steps;
}
