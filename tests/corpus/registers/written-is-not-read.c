// What was written to a register need not be what is read there.
#include <stdint.h>
#define CONTROL (*(volatile uint32_t *)0x40013800)

int main(void) {
    CONTROL = 1;
    while (CONTROL == 1) { //@ loop: neither
    }
    CONTROL |= 2;
    while ((CONTROL & 2) == 0) { //@ loop: neither
    }
    return 0;
}
