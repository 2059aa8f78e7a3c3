/* A reader of records: the first byte of each is its length. There is no main, so the function is decided by itself, for any
   arguments and any memory.
   Look for: the parameter and the byte of memory that make it hang, and the program that `--harness` writes. */
int count_records(const unsigned char *data, unsigned length) {
    unsigned at = 0;
    int records = 0;
    while (at < length) {
        at += data[at];
        records++;
    }
    return records;
}
