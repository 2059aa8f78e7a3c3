// Four times a quarter is one, exactly.
int main(void) {
    for (float f = 0.0f; f != 1.0f; f += 0.25f) { //@ loop: terminates; tool everywhere: unknown -- no measure over floating-point numbers
    }
    return 0;
}
