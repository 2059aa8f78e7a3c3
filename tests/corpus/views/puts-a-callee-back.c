// A function that the file gave away comes back: from the library, in a table that the linker makes, in copied bytes.
#include <signal.h>
#include <string.h>
typedef void (*callee)(int);
extern callee __start_table[], __stop_table[];
static void again(int n);
static callee in_table __attribute__((section("table"), used)) = again;

int from_a_section(int n) {
    int called = 0;
    for (callee *p = __start_table; p < __stop_table && called < n; p++) { //@ loop: neither
        (*p)(n);
        called++;
    }
    return called;
}
static void again(int n) { //@ recursion: neither
    from_a_section(n);
}

static void handler(int n); //
int from_the_library(int n) {
    signal(SIGUSR1, handler);
    callee old = signal(SIGUSR1, SIG_IGN);
    for (int i = 0; i < n; i++) { //@ loop: neither
        old(n);
    }
    return n;
}
static void handler(int n) { //@ recursion: neither
    from_the_library(n);
}

struct one {
    long flags;
    callee run;
};
struct two {
    char name[8];
    callee go;
};
static void copied(int n);
static struct one source = {1, copied};
int from_bytes(struct two *t, int n) {
    memcpy(t, &source, sizeof source);
    for (int i = 0; i < n; i++) { //@ loop: neither
        t->go(n);
    }
    return n;
}
static void copied(int n) { //@ recursion: neither
    struct two t;
    from_bytes(&t, n);
}
