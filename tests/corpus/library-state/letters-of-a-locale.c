// Which characters are letters is up to the user's locale.
//@ native: hangs
#include <ctype.h>
#include <locale.h>
#undef isalpha

int main(void) {
    volatile int sink = 0, c = 0xe4;
    setlocale(LC_ALL, "");
    while (!(isalpha)(c)) sink = 1; //@ loop: neither
    return 0;
}
