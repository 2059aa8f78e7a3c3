// A float that has come to 2^24 does not grow by one any more.
int main(void) {
    float f = 0.0f;
    while (f < 16777220.0f) { //@ loop: diverges
        f += 1.0f;
    }
    return 0;
}
