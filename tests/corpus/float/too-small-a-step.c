// A float that has come to 2^24 does not grow by one any more.
int main(void) {
    float f = 0.0f;
    while (f < 16777220.0f) { //@ loop: diverges; slow; slow wrap; tool ideal: unknown -- over the integers conversions of floating-point numbers take the solver too long
        f += 1.0f;
    }
    return 0;
}
