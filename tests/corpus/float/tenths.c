// Ten times a tenth is not one.
int main(void) {
    for (double d = 0.0; d != 1.0; d += 0.1) { //@ loop: diverges; tool everywhere: unknown -- no fact about floating-point numbers but comparisons with constants is kept
    }
    return 0;
}
