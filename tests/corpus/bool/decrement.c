// A _Bool that is one less than false is true.
int main(void) {
    _Bool a = 1;
    _Bool b = 0;
    while (a) { //@ loop: terminates
        a--;
    }
    while (!b) { //@ loop: terminates
        b--;
    }
    return 0;
}
