/* Looper's Figure 2 on a list of forty nodes. */
//@ arguments: 40 7
//@ attach: proved
#include <stdlib.h>

struct node {
    int data;
    struct node *next;
};

static int find(struct node *head, int x) {
    int index = 0;
    struct node *p = head;
    while (p != NULL) {
        if (p->data == x)
            return index;
        index++;
        p = p->next;
    }
    return -1;
}

int main(int argc, char **argv) {
    int n = atoi(argv[argc - 2]);
    struct node *nodes = calloc((size_t)n, sizeof *nodes);
    for (int i = 0; i < n; i++) {
        nodes[i].data = 1000 + i;
        nodes[i].next = &nodes[(i + 1) % n];
    }
    return find(nodes, atoi(argv[argc - 1]));
}
