// What is stored is a signed number, which never comes to its end, whoever reads it as an unsigned one.
void grows(int *p) {
    while ((unsigned)*p % 4U != 5) { //@ loop: neither; wrap: terminates; ideal: diverges
        if (*p <= 0) {
            break;
        }
        *p += 1;
    }
}
