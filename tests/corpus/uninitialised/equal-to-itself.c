// What has no value need not be the same when it is looked at twice. In the other semantics it has one value that nobody knows.
int main(void) {
    int x;
    while (x == x) { //@ loop: neither; wrap: diverges; ideal: diverges
    }
    return 0;
}
