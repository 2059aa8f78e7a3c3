// The field is read by shifting its bits up and down again; the constant shift before it says nothing about that.
struct bits {
    int low : 21;
};
static struct bits b = {-3};

int main(void) {
    unsigned long a[2] = {(1000 << 1), b.low};
    int n = (int)a[1];
    while (n < 0) { //@ loop: terminates
        n++;
    }
    while (n == 0) { //@ loop: diverges
    }
    return 0;
}
