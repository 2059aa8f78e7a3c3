// Objects on the heap are different ones, too; only if there is no memory, twice, are two pointers equal.
void *malloc(unsigned long);

static void down(char *above) { //@ recursion: neither
    char *mine = malloc(1);
    if (mine == above) {
        return;
    }
    down(mine);
}

int main(void) {
    char outside;
    down(&outside);
    return 0;
}
