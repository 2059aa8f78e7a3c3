// Nobody can say what the flag is: no pass may choose, and no proof either.
int main(void) {
    int go;
    while (go) { //@ loop: neither
    }
    return 0;
}
