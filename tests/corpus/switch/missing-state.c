// A machine that comes to a state without a case.
int main(void) {
    int state = 0;
    while (state != 3) { //@ loop: diverges
        switch (state) {
        case 0:
            state = 2;
            break;
        case 1:
            state = 3;
            break;
        case 2:
            state = 4;
            break;
        }
    }
    return 0;
}
