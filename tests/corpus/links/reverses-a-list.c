// The link of each cell is turned round when it has been followed.
struct cell {
    struct cell *next;
};

struct cell *reversed(struct cell *head) {
    struct cell *done = 0;
    while (head) { //@ loop: neither; ends when no cycle is reached from `head` along `next`
        struct cell *next = head->next;
        head->next = done;
        done = head;
        head = next;
    }
    return done;
}
