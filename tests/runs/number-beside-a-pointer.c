// What the loop counts up to stands behind a pointer; the bytes of one are no number of the other.
struct list {
    int *data;
    int count;
    unsigned char tag;
};

static int numbers[3] = {5, 6, 7};
static struct list global = {numbers + 1, 2, 9};

int main(void) {
    struct list l = {numbers, 3, 4};
    struct list *all[2] = {&l, &global};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < all[k]->count; i++) {
            observe(all[k]->data[i]);
        }
        observe(all[k]->tag);
    }
    unsigned char bytes[sizeof l];
    memcpy(bytes, &l, sizeof l);
    observe(bytes[8]);
    struct list copy;
    memcpy(&copy, bytes, sizeof copy);
    observe(copy.data[2]);
    return 0;
}
