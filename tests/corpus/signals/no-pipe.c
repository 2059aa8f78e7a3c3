// Whoever reads what is written is outside of the program.
//@ native: hangs
#include <unistd.h>

int main(void) {
    for (;;) write(2, "", 0); //@ loop: diverges
}
