// Each round asks the device: it may say stop, it may never do so. Neither is ours to choose.
extern volatile int device;

int main(void) {
    int i = 0;
    while (i < 10) { //@ loop: neither
        i = device ? i + 1 : 0;
    }
    return 0;
}
