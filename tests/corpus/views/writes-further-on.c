// A function that calls itself with a pointer that is further on each time writes any bytes behind it.
void fill(char *p) { //@ recursion: terminates
    *p = 1;
    if (p[1]) {
        fill(p + 1);
    }
}

int count(int n) {
    int all = 0;
    for (int i = 0; i < n; i++) { //@ loop: terminates
        all += i;
    }
    return all;
}
