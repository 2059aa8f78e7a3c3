// What is stored under the key comes back.
//@ native: ends
#include <pthread.h>

int main(void) {
    volatile int sink = 0;
    int x = 0;
    pthread_key_t key;
    if (pthread_key_create(&key, 0) != 0 || pthread_setspecific(key, &x) != 0) return 0;
    int *p = pthread_getspecific(key);
    *p = 1;
    while (x == 0) sink = 1; //@ loop: terminates; tool everywhere: unknown -- the environment says what comes back
    return 0;
}
