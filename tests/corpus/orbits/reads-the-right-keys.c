// A wrong key ends it; the right ones, one after the other, lead to where it waits for ever, whatever is pressed.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int state = 0, beeps = 0;
    for (;;) { //@ loop: diverges
        int key = __VERIFIER_nondet_int();
        if (key < 0) {
            return 1;
        }
        if (state == 0 && key == 31) {
            state = 4;
        } else if (state == 4 && key == 17) {
            state = 2;
        } else if (state == 2 && key == 99) {
            state = 7;
        } else if (state == 7 && key == 58) {
            state = 5;
        } else if (state == 5 && key == 23) {
            state = 9;
        } else if (state == 9) {
            continue;
        } else {
            beeps++;
            if (beeps == 3) {
                return 0;
            }
        }
    }
}
