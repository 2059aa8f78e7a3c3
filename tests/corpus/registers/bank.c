// A row of registers.
#include <stdint.h>
#define BANK ((volatile uint8_t *)0x20000)

int main(void) {
    for (unsigned i = 0; i < 16; i++) { //@ loop: terminates
        BANK[i] = 0;
    }
    unsigned n = 0;
    while (BANK[n] != 0xff) { //@ loop: neither
        n = (n + 1) % 16;
    }
    return 0;
}
