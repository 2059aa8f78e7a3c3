// A function of the library may set `errno`, of which the loop watches one byte.
extern int *__errno_location(void);
extern double log(double);

void watch(void) {
    char *c = (char *)__errno_location();
    while (*c) { //@ loop: neither
        *c = 0;
        log(-1.0);
    }
}
