// Only the device can end it; the loops around it are there.
#include <stdint.h>
#define STATUS (*(volatile uint32_t *)0x40011000)
#define DATA (*(volatile uint32_t *)0x40011004)

static void put(unsigned c) {
    while (!(STATUS & 0x80)) { //@ loop: neither
    }
    DATA = c;
}

int main(void) {
    for (int i = 0; i < 10; i++) { //@ loop: neither
        put(i);
    }
    return 0;
}
