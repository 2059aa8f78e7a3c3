/* Runs the programs of a batch, each in a process of its own, and prints what each did:
 *
 *   program K
 *   o VALUE        it observed VALUE
 *   v KIND         a signed overflow, after which it went on with the wrapped value
 *   u KIND         undefined behaviour, where it was ended
 *   end exit|trap|limit|time|crash SIGNAL
 *
 * The values of inputs depend on how many observations went before, and on nothing else: so the interpreter can give
 * the same ones whatever it asks for first. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROOM (1 << 16)

struct record {
    int length;
    int ended;
    /* A shift was reported, and it is not known yet whether the run goes on. */
    int shifted;
    char text[ROOM];
};

static struct record *record;
static unsigned long long input_seed, observations, observation_limit;

static void put(const char *kind, const char *text) {
    int k = strlen(kind), n = strlen(text);
    if (record->length + k + n + 2 >= ROOM) return;
    memcpy(record->text + record->length, kind, k);
    record->length += k;
    memcpy(record->text + record->length, text, n);
    record->length += n;
    record->text[record->length++] = '\n';
}

/* The run went on after a shift was reported: it was the base. */
static void settle(void) {
    if (record->shifted) put("v ", "invalid-shift-base");
    record->shifted = 0;
}

static void say(const char *kind, const char *text) {
    settle();
    put(kind, text);
}

static void finish(const char *how) {
    record->ended = 1;
    say("end ", how);
    _exit(0);
}

void observe(long long value) {
    char digits[24];
    char *at = digits + sizeof digits;
    unsigned long long rest = value < 0 ? 0ull - (unsigned long long)value : (unsigned long long)value;
    *--at = 0;
    do {
        *--at = '0' + rest % 10;
        rest /= 10;
    } while (rest);
    if (value < 0) *--at = '-';
    say("o ", at);
    if (++observations >= observation_limit) finish("limit");
}

static unsigned long long mix(unsigned long long z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static unsigned long long input(void) {
    unsigned long long h = mix(input_seed + observations * 0x9e3779b97f4a7c15ull), r = h >> 8;
    switch (h & 7) {
    case 0: return 0;
    case 1: return 1;
    case 2: return r % 16;
    case 3: return 0ull - r % 16;
    case 4: return r % 256;
    case 5: return (1ull << r % 64) - (r >> 6) % 2;
    case 6: return mix(h);
    default: return r % 100;
    }
}

#define NONDET(type, name) type __VERIFIER_nondet_##name(void) { return (type)input(); }
NONDET(char, char)
NONDET(unsigned char, uchar)
NONDET(short, short)
NONDET(unsigned short, ushort)
NONDET(int, int)
NONDET(unsigned, uint)
NONDET(long, long)
NONDET(unsigned long, ulong)
NONDET(long long, longlong)
NONDET(unsigned long long, ulonglong)
_Bool __VERIFIER_nondet_bool(void) { return input() & 1; }

/* The pattern of a number is the input. */
float __VERIFIER_nondet_float(void) {
    unsigned bits = input();
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
double __VERIFIER_nondet_double(void) {
    unsigned long long bits = input();
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static void out_of_time(int signal) {
    (void)signal;
    finish("time");
}

#ifdef SANITIZED
void __ubsan_get_current_report_data(const char **kind, const char **message, const char **file, unsigned *line,
                                     unsigned *column, char **address);
const char *__asan_get_report_description(void);

void __ubsan_on_report(void) {
    const char *kind, *message, *file;
    unsigned line, column;
    char *address;
    __ubsan_get_current_report_data(&kind, &message, &file, &line, &column, &address);
    /* A division that overflows cannot go on: the hardware stops it. */
    int goes_on = (!strcmp(kind, "signed-integer-overflow") && strncmp(message, "division", 8)) ||
                  !strcmp(kind, "invalid-shift-base");
    if (goes_on) {
        say("v ", kind);
        return;
    }
    /* For `c <<= 26`, where c has 8 bits and is promoted, the runtime takes the base for the exponent. Only the exponent is fatal,
     * and the runtime ends the run then. */
    if (!strcmp(kind, "invalid-shift-exponent")) {
        settle();
        record->shifted = 1;
        return;
    }
    say("u ", kind);
    finish("crash 0");
}

void __asan_on_error(void) {
    say("u ", __asan_get_report_description());
    finish("crash 0");
}
const char *__asan_default_options(void) { return "detect_leaks=0:symbolize=0:print_summary=0:allocator_may_return_null=1:detect_stack_use_after_return=1:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0"; }
const char *__ubsan_default_options(void) { return "symbolize=0:print_stacktrace=0:print_summary=0"; }
#endif

/* The file of the programs says what they are. */
extern int (*const programs[])(void);
extern const int program_count;

/* How long a run takes at most, in microseconds of its own time: what ends, ends much earlier. */
#define PATIENCE 25000

static void child(int k) {
    /* The registers of a device, at an address that programs know. */
    void *device = (void *)0x10000000;
    if (mmap(device, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != device)
        finish("crash 0");
    struct itimerval limit = {{0, 0}, {0, PATIENCE}};
    signal(SIGVTALRM, out_of_time);
    setitimer(ITIMER_VIRTUAL, &limit, 0);
    programs[k]();
    finish("exit");
}

/* argv: how many observations a program may make, then the seed of each program's inputs. */
int main(int argc, char **argv) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    record = mmap(0, sizeof *record, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (record == MAP_FAILED || argc < 2) return 2;
    observation_limit = strtoull(argv[1], 0, 10);
    for (int k = 0; k + 2 < argc && k < program_count; k++) {
        record->length = record->ended = record->shifted = 0;
        fflush(stdout);
        pid_t pid = fork();
        if (pid < 0) return 2;
        if (pid == 0) {
            input_seed = strtoull(argv[k + 2], 0, 10);
            child(k);
        }
        int status = 0;
        if (waitpid(pid, &status, 0) != pid) return 2;
        printf("program %d\n%.*s", k, record->length, record->text);
        if (record->ended) continue;
        if (record->shifted && !WIFSIGNALED(status)) {
            printf("u invalid-shift-exponent\nend crash 0\n");
            continue;
        }
        if (record->shifted) printf("v invalid-shift-base\n");
        if (WIFSIGNALED(status)) {
            int signal = WTERMSIG(status);
            if (signal == SIGABRT || signal == SIGILL || signal == SIGTRAP) printf("end trap\n");
            else printf("end crash %d\n", signal);
        } else {
            printf("end trap\n");
        }
    }
    return 0;
}
