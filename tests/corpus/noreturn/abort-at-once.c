// A loop that never comes to its second iteration.
_Noreturn void abort(void);

int main(void) {
    while (1) { //@ loop: terminates; absent
        abort();
    }
    return 0;
}
