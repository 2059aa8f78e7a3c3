/* Another thread ends it, some time. */
//@ attach: proved
//@ conditions: thread
//@ headline: unless another thread writes `stop`
//@ flags: -pthread
#include <pthread.h>
#include <unistd.h>

static volatile int stop;

static void *other(void *unused) {
    (void)unused;
    sleep(1000);
    stop = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    while (!stop)
        ;
    return 0;
}
