// The next cell is read before this one is given back.
void free(void *);

struct cell {
    struct cell *next;
};

void drop(struct cell *head) {
    while (head) { //@ loop: neither; ends when no cycle is reached from `head` along `next`
        struct cell *next = head->next;
        free(head);
        head = next;
    }
}
