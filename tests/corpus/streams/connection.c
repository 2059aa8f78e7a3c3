// What comes over a connection is finite, and its end stays. A descriptor that is none gives -1.
typedef unsigned long size_t;
long recv(int, void *, size_t, int);

void drain(int fd) {
    char block[16];
    while (recv(fd, block, sizeof block, 0) > 0) { //@ loop: terminates
    }
}

void wait_for_an_error(int fd) {
    char block[16];
    while (recv(fd, block, sizeof block, 0) >= 0) { //@ loop: diverges
    }
}

void look(int fd) {
    char block[16];
    while (recv(fd, block, sizeof block, 2) > 0) { //@ loop: neither
    }
}
