// An object that only this file names is still reached by an address that was computed, a function that another may replace, or another name.
#include <stdint.h>

static unsigned direct = 3;
void by_number(void) {
    while (direct > 0) { //@ loop: diverges
        direct--;
        *(unsigned *)(uintptr_t)&direct = 5;
    }
}

static unsigned masked = 3;
void by_masked_number(void) {
    while (masked > 0) { //@ loop: diverges
        masked--;
        *(unsigned *)(((uintptr_t)&masked ^ 2) ^ 2) = 5;
    }
}

// Whoever gets the number can find the object.
static unsigned given = 3;
uintptr_t give(void) {
    return (uintptr_t)&given ^ 1;
}
void by_given_number(uintptr_t h) {
    while (given > 0) { //@ loop: diverges when h == ((uintptr_t)&given ^ 1)
        given--;
        *(unsigned *)(h ^ 1) = 5;
    }
}

static unsigned renamed = 3;
extern unsigned other_name __attribute__((alias("renamed")));
void by_alias(unsigned *p) {
    while (renamed > 0) { //@ loop: diverges when p == &other_name
        renamed--;
        *p = 5;
    }
}

static unsigned shown = 3;
__attribute__((weak)) unsigned *show(void) {
    return &shown;
}
void by_weak_function(unsigned *p) {
    while (shown > 0) { //@ loop: diverges when p == show()
        shown--;
        *p = 5;
    }
}

// Nobody else has this one's address.
static unsigned own = 3;
void by_nobody(unsigned *p) {
    while (own > 0) { //@ loop: terminates
        own--;
        *p = 5;
    }
}
