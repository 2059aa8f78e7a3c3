// Others store what they like in a static object, by its address or by a call.
static int free_to_be;
static int known_to_others;

void keep(int n) {
    free_to_be = n;
    known_to_others = 1;
}

int *give(void) {
    return &known_to_others;
}

void whatever(void) {
    while (free_to_be == 5) { //@ loop: diverges when free_to_be == 5
    }
    while (known_to_others == 5) { //@ loop: diverges when known_to_others == 5
    }
}
