// The same with numbers made from addresses.
static void down(unsigned long above) { //@ recursion: diverges; tool everywhere: unknown -- addresses of objects of two calls are not told apart
    int here = 0;
    if (above == (unsigned long)&here) {
        return;
    }
    down((unsigned long)&here);
}

int main(void) {
    down(0);
    return 0;
}
