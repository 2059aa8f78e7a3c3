// A call whose constant arguments are not valid is undefined: no endless run is shown behind it. What writes outside of an object ends the run; of the
// rest nothing is said, since most libraries go on.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char four[4];
static const char no_end[3] = {'a', 'b', 'c'};

static int too_long(void) {
    strcpy(four, "a long text");
    for (;;) { //@ loop: terminates; absent
    }
}

static int just_fits(void) {
    strcpy(four, "abc");
    for (;;) { //@ loop: diverges
    }
}

static int no_room_to_print(void) {
    sprintf(four, "%d", 123456);
    for (;;) { //@ loop: neither; wrap: diverges; ideal: diverges
    }
}

static int room_to_print(void) {
    sprintf(four, "%d", 123);
    for (;;) { //@ loop: diverges
    }
}

static int no_argument(void) {
    printf("%s\n");
    for (;;) { //@ loop: neither; wrap: diverges; ideal: diverges
    }
}

static int another_type(void) {
    printf("%d\n", 1L);
    for (;;) { //@ loop: neither; wrap: diverges; ideal: diverges
    }
}

static int right_types(void) {
    printf("%d %ld %s %5.1f %%\n", 1, 2L, "three", 4.0);
    for (;;) { //@ loop: diverges
    }
}

static int no_string(void) {
    puts(no_end);
    for (;;) { //@ loop: neither; wrap: diverges; ideal: diverges
    }
}

static int no_function(void) {
    atexit(0);
    for (;;) { //@ loop: neither; wrap: diverges; ideal: diverges
    }
}

static int null_has_no_length(void) {
    if (strlen(0) > 5) {
        return 1;
    }
    for (;;) { //@ loop: neither
    }
}

int main(int argc, char **argv) {
    switch (argc) {
    case 1:
        return too_long();
    case 2:
        return just_fits();
    case 3:
        return no_room_to_print();
    case 4:
        return room_to_print();
    case 5:
        return no_argument();
    case 6:
        return another_type();
    case 7:
        return right_types();
    case 8:
        return no_string();
    case 9:
        return no_function();
    default:
        return null_has_no_length();
    }
}
