// A machine that knows one long password: a wrong key ends it. Behind the last key it turns in a ring of three, as long as nobody presses 0.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int at = 169, typed = 0;
    for (;;) { //@ loop: diverges
        int key = __VERIFIER_nondet_int();
        if (key <= 0) {
            return 1;
        }
        switch (at) {
        case 169:
            if (key != 7) {
                return 1;
            }
            typed ^= key;
            at = 75;
            break;
        case 75:
            if (key != 3) {
                return 1;
            }
            typed ^= key;
            at = 101;
            break;
        case 101:
            if (key != 2) {
                return 1;
            }
            typed ^= key;
            at = 186;
            break;
        case 186:
            if (key != 3) {
                return 1;
            }
            typed ^= key;
            at = 176;
            break;
        case 176:
            if (key != 8) {
                return 1;
            }
            typed ^= key;
            at = 145;
            break;
        case 145:
            if (key != 3) {
                return 1;
            }
            typed ^= key;
            at = 17;
            break;
        case 17:
            if (key != 3) {
                return 1;
            }
            typed ^= key;
            at = 129;
            break;
        case 129:
            if (key != 1) {
                return 1;
            }
            typed ^= key;
            at = 73;
            break;
        case 73:
            if (key != 1) {
                return 1;
            }
            typed ^= key;
            at = 195;
            break;
        case 195:
            if (key != 4) {
                return 1;
            }
            typed ^= key;
            at = 23;
            break;
        case 23:
            if (key != 4) {
                return 1;
            }
            typed ^= key;
            at = 50;
            break;
        case 50:
            if (key != 3) {
                return 1;
            }
            typed ^= key;
            at = 38;
            break;
        case 38:
            if (key != 3) {
                return 1;
            }
            typed ^= key;
            at = 105;
            break;
        case 105:
            if (key != 5) {
                return 1;
            }
            typed ^= key;
            at = 130;
            break;
        case 130:
            if (key != 6) {
                return 1;
            }
            typed ^= key;
            at = 191;
            break;
        case 191:
            if (key != 4) {
                return 1;
            }
            typed ^= key;
            at = 107;
            break;
        case 107:
            if (key != 9) {
                return 1;
            }
            typed ^= key;
            at = 149;
            break;
        case 149:
            if (key != 4) {
                return 1;
            }
            typed ^= key;
            at = 36;
            break;
        case 36:
            if (key != 3) {
                return 1;
            }
            typed ^= key;
            at = 156;
            break;
        case 156:
            if (key != 4) {
                return 1;
            }
            typed ^= key;
            at = 184;
            break;
        case 184:
            if (key != 7) {
                return 1;
            }
            typed ^= key;
            at = 13;
            break;
        case 13:
            if (key != 5) {
                return 1;
            }
            typed ^= key;
            at = 65;
            break;
        case 65:
            if (key != 1) {
                return 1;
            }
            typed ^= key;
            at = 114;
            break;
        case 114:
            at = typed + 300;
            break;
        case 303:
            at = 81;
            break;
        case 81:
            at = 114;
            break;
        default:
            return 2;
        }
    }
}
