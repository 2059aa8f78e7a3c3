// The number of the arguments bounds the loop, not what they are.
static int sum(int n, ...) {
    __builtin_va_list list;
    int s = 0;
    __builtin_va_start(list, n);
    while (n > 0) { //@ loop: terminates
        s ^= __builtin_va_arg(list, int);
        n--;
    }
    __builtin_va_end(list);
    return s;
}

int main(void) {
    return sum(3, 1, 2, 3);
}
