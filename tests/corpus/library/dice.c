// Dice are no input: nobody can choose that the six never comes.
int rand(void);

int main(void) {
    int n = 3;
    while (rand() % 6 != 0) { //@ loop: neither
    }
    while (n > 0) { //@ loop: terminates
        rand();
        n--;
    }
    return 0;
}
