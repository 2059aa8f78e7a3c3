// What has no value decides nothing here.
//@ native: hangs
volatile int beats;

int main(void) {
    int x;
    int y = 1;
    for (;;) { //@ loop: diverges
        beats = y;
    }
    return x;
}
