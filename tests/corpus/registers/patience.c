// It waits with a limit.
#include <stdint.h>
typedef struct {
    volatile uint32_t status, data;
} Uart;
#define UART ((Uart *)0x40011000)

int main(void) {
    Uart *u = UART;
    int n = 0;
    while (!(u->status & 1)) { //@ loop: terminates
        if (++n > 1000) {
            return 1;
        }
    }
    for (int i = 0; i < 10; i++) { //@ loop: terminates
        u->data = i;
    }
    return 0;
}
