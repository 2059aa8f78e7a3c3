// The usual way down to zero with a type that has no negative values.
#include <stddef.h>
extern unsigned long __VERIFIER_nondet_ulong(void);

int main(void) {
    size_t n = __VERIFIER_nondet_ulong();
    size_t sum = 0;
    for (size_t i = n; i-- > 0;) { //@ loop: terminates; rounds: max(0, i + 1); rounds wrap: i
        sum += i;
    }
    return (int)sum;
}
