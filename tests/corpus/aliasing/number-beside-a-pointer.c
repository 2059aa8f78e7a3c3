// The number behind the pointer in the structure is no address.
struct list {
    int *data;
    int count;
    int room;
};

static int numbers[4];

int main(void) {
    struct list l = {numbers, 0, 4};
    struct list *p = &l;
    while (p->count < p->room) { //@ loop: terminates
        p->data[p->count] = p->count;
        p->count++;
    }
    return 0;
}
