// A loop that counts up to a number passes it by if it begins behind it. Over the integers it never comes back.
int place(void);
void work(int);
char *from(void);
char *behind(void);

void up_to(void) {
    int i = place();
    int n = place();
    for (; i != n; i++) { //@ loop: neither; wrap: terminates
        work(i);
    }
}

void each(void) {
    char *p = from();
    char *end = behind();
    // What is written behind the last address is undefined.
    for (; p != end; p++) { //@ loop: terminates
        *p = 0;
    }
}
