// What a character is in the library's table is no input of a function.
#include <ctype.h>
#include <stdio.h>

void skip_blanks(int c) {
    while (isspace(c)) { //@ loop: terminates; tool everywhere: unknown -- the table may be anywhere in memory from before
        c = getchar();
    }
}
