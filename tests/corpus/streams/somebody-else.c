// A function that is not here may turn the stream back.
int getchar(void);
void handle(int);

int main(void) {
    int c;
    while ((c = getchar()) != -1) { //@ loop: neither
        handle(c);
    }
    return 0;
}
