// A machine that walks 0, 1, 2 and then 3, 4, 5, 6 for ever, started by the right input, inside a loop that counts to five.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int start = __VERIFIER_nondet_int();
    for (int round = 0; round < 5; round++) { //@ loop: diverges
        int state = start;
        while (state != 100) { //@ loop: diverges
            switch (state) {
            case 0:
            case 1:
            case 2:
            case 3:
            case 4:
            case 5:
                state = state + 1;
                break;
            case 6:
                state = 3;
                break;
            default:
                state = 100;
            }
        }
    }
    return 0;
}
