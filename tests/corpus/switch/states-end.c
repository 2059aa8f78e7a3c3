// A machine whose states lead to the last one.
int main(void) {
    int state = 0;
    while (state != 3) { //@ loop: terminates
        switch (state) {
        case 0:
            state = 2;
            break;
        case 1:
            state = 3;
            break;
        case 2:
            state = 1;
            break;
        }
    }
    return 0;
}
