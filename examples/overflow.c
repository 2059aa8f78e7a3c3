/* The largest int, found by going one too far.
   Look for: three integer semantics that disagree. Over the integers the loop never ends; on a machine it does, by an overflow
   that C leaves undefined. */
int main(void) {
    int next = 1;
    while (next > 0)
        next++;
    return 0;
}
