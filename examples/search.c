/* A search by halving, off by one. There is no main: the function is decided by itself, for any arguments.
   Look for: a range of two elements that never gets smaller. `low = middle + 1` mends it. */
int search(int low, int high, int wanted) {
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (middle < wanted)
            low = middle;
        else
            high = middle;
    }
    return low;
}
