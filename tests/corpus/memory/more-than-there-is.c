// What no memory can hold is not had, and the objects beside it stay where they are.
typedef unsigned long size_t;
void *realloc(void *, size_t);
int beat = 1;

int main(void) {
    void *p = realloc(0, 0x7fffffffffffffff);
    while (p == 0 && beat == 1) { //@ loop: diverges
        beat = 1;
    }
    return 0;
}
