// The bound lies beyond int, and within long long.
int main(void) {
    for (long long i = 0; i < 5000000000LL; i += 1000000000) { //@ loop: terminates
    }
    return 0;
}
