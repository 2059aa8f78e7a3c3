// A register is no variable of the program.
#include <stdint.h>
#define CONTROL (*(volatile uint32_t *)0x40013800)

int x = 1;

int main(void) {
    CONTROL = 0;
    while (x == 1) { //@ loop: diverges
        CONTROL = x;
    }
    return 0;
}
