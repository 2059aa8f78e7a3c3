// Every string instruction, with and without a prefix, with counts that reach zero, begin with it, or stop before.
#include <stdint.h>
#include <string.h>

static uint64_t from[40], to[40];
static uint64_t seed = 1;

static uint64_t next(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 33;
}

#define SCAN(prefix, suffix)                                                                                           \
    do {                                                                                                               \
        uint64_t count = next() % 20, value = next() % 4;                                                              \
        void *at = from;                                                                                               \
        unsigned char equal;                                                                                           \
        __asm__ volatile(prefix " scas" suffix "\n\tsete %2" : "+c"(count), "+D"(at), "=q"(equal) : "a"(value) : "cc");  \
        to[next() % 40] = count + equal + (uint64_t)at;                                                                \
    } while (0)

#define MATCH(prefix, suffix)                                                                                          \
    do {                                                                                                               \
        uint64_t count = next() % 20;                                                                                  \
        void *at = from, *other = to;                                                                                  \
        unsigned char below;                                                                                           \
        __asm__ volatile(prefix " cmps" suffix "\n\tsetb %3"                                                           \
                         : "+c"(count), "+D"(at), "+S"(other), "=q"(below) : : "cc", "memory");                        \
        from[next() % 40] = (count + below) % 4;                                                                       \
    } while (0)

#define COPY(operation)                                                                                                \
    do {                                                                                                               \
        uint64_t count = next() % 20;                                                                                  \
        void *at = to, *other = from;                                                                                  \
        __asm__ volatile(operation : "+c"(count), "+D"(at), "+S"(other) : "a"(next() % 4) : "cc", "memory");           \
    } while (0)

int main(void) {
    for (;;) {
        for (int i = 0; i < 40; i++) {
            from[i] = next() % 3 ? 2 : next() % 4;
        }
        memcpy(to, from, sizeof to);
        SCAN("repne", "b");
        SCAN("repe", "b");
        SCAN("repne", "w");
        SCAN("repe", "w");
        SCAN("repne", "l");
        SCAN("repe", "l");
        SCAN("repne", "q");
        SCAN("repe", "q");
        SCAN("", "q");
        MATCH("repe", "b");
        MATCH("repne", "b");
        MATCH("repe", "w");
        MATCH("repne", "l");
        MATCH("repe", "q");
        MATCH("repne", "q");
        MATCH("", "l");
        COPY("rep movsb");
        COPY("rep movsw");
        COPY("rep movsl");
        COPY("rep movsq");
        COPY("rep stosb");
        COPY("rep stosw");
        COPY("rep stosl");
        COPY("rep stosq");
    }
}
