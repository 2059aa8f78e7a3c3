// C lets `errno` be an object, which mathematical functions write.
extern int errno;
double sqrt(double);
void rooted(void) {
    while (errno > 0) { //@ loop: neither
        errno--;
        sqrt(-1.0);
    }
}
