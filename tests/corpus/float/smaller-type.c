// A tenth as a float is more than a tenth.
int main(void) {
    float f = 0.1f;
    double d = 0.1;
    while (f > d) { //@ loop: diverges
    }
    return 0;
}
