/* The clock of the Zune 30: on the last day of a leap year it never finishes. */
extern int __VERIFIER_nondet_int(void);

static int is_leap_year(int year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int main(void) {
    int days = __VERIFIER_nondet_int(); /* since 1 January 1980 */
    int year = 1980;
    while (days > 365) {
        if (is_leap_year(year)) {
            if (days > 366) {
                days -= 366;
                year += 1;
            }
        } else {
            days -= 365;
            year += 1;
        }
    }
    return year;
}
