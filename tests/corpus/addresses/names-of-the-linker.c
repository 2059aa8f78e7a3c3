// Names for addresses that the linker defines, and names that another file may define or not.
extern char __start_counters[], __bss_start[], _edata[];
extern int optional __attribute__((weak));
static int counter __attribute__((section("counters"), used)) = 3;

int runs_into(void) {
    while (counter > 0) { //@ loop: neither
        counter--;
        *(int *)__start_counters = 5;
    }
    return 0;
}

int same_place(void) {
    while (__bss_start == _edata) { //@ loop: neither
    }
    return 0;
}

int is_there(void) {
    while (!&optional) { //@ loop: neither
    }
    return 0;
}

int is_not_there(void) {
    while (&optional) { //@ loop: neither
    }
    return 0;
}
