// Without a translation the message itself comes back.
//@ native: ends
#include <libintl.h>

int main(void) {
    volatile int sink = 0;
    char text[] = "a";
    char *shown = gettext(text);
    shown[0] = 'b';
    while (text[0] == 'a') sink = 1; //@ loop: neither
    return 0;
}
