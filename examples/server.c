/* A server that answers one byte at a time.
   Look for: an endless loop that is meant, told from the one above it that always ends. */
#include <unistd.h>

static char reply[16];

int main(void) {
    for (int i = 0; i < 15; i++)
        reply[i] = 'a';
    for (;;) {
        char request;
        if (read(0, &request, 1) == 1 && request == '?')
            write(1, reply, sizeof reply);
    }
}
