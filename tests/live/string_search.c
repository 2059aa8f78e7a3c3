/* strlen and strchr of the library, with the processor's widest vectors, inside a loop that never advances. */
//@ attach: proved
#include <string.h>

static char text[4000];
static volatile unsigned long total;

int main(void) {
    memset(text, 'a', sizeof text - 1);
    const char *at = text;
    while (strlen(at) > 10) {
        const char *hit = strchr(at, 'z');
        if (hit)
            at = hit;
        total = (unsigned long)(at - text);
    }
    return 0;
}
