//! What a program shares with its surroundings: objects that the library keeps, addresses as numbers, registers of devices; and locals around
//! a jump back.
//!
//! The systems do not know most of these values: a difference then rests on an unknown, and is none. But a system that keeps a
//! value which the library, the device or the jump has changed is found out.

use super::{Generator, Stmt};

impl Generator {
    pub(super) fn surroundings(&mut self, out: &mut Vec<Stmt>) {
        match self.rng.below(4) {
            0 => self.library_state(out),
            1 => self.address_as_number(out),
            2 => self.register(out),
            _ => self.changed_before_a_jump(out),
        }
    }

    fn library_state(&mut self, out: &mut Vec<Stmt>) {
        self.count("state of the library");
        let first = self.full(1).e;
        let text = match self.rng.below(8) {
            0 => {
                "{ extern int optind, optopt; int getopt(int, char *const *, const char *); char *v[] = {\"p\", \"-a\", \"-b\", \"x\", 0}; \
                 optind = 1; observe(getopt(4, v, \"ab\")); observe(optind); optopt = (int)#; observe(getopt(4, v, \"a\")); observe(optopt); }"
            }
            1 => {
                "{ extern char *optarg; extern int optind; int getopt(int, char *const *, const char *); char *v[] = {\"p\", \"-a\", \"7\", 0}; \
                 optind = 1; optarg = (int)# ? v[0] : 0; observe(getopt(3, v, \"a:\")); observe(optarg ? *optarg : 0); }"
            }
            2 => {
                "{ extern int signgam; double lgamma(double); signgam = (int)# & 1; double g = lgamma(-0.5); observe(signgam); \
                 observe(g > 0); }"
            }
            3 => {
                "{ extern long timezone; extern int daylight; void tzset(void); timezone = (int)# & 15; daylight = 9; \
                 setenv(\"TZ\", \"AAA5BBB\", 1); tzset(); observe(timezone); observe(daylight); }"
            }
            4 => {
                "{ char s[] = \"a bc d\"; s[2] = (char)(((int)# & 7) + 'e'); char *t = strtok(s, \" \"); observe(t ? *t : -1); \
                 t = strtok(0, \" \"); observe(t ? *t : -1); observe(s[1]); }"
            }
            5 => {
                "{ char s[] = \"12x\"; s[1] = (char)(((int)# & 7) + '0'); char *e = s; long v = strtol(s, &e, 10); observe(v); \
                 observe(e - s); observe(*e); }"
            }
            6 => {
                "{ setenv(\"LARIAT_X\", (int)# & 1 ? \"y\" : \"z\", 1); char *v = getenv(\"LARIAT_X\"); observe(v ? *v : 0); \
                 unsetenv(\"LARIAT_X\"); observe(getenv(\"LARIAT_X\") == 0); }"
            }
            _ => {
                "{ srand(7); int a = rand(); srand(7); int b = rand(); observe(a == b); observe(((int)# & 3) + (a - b)); }"
            }
        };
        self.cost += 4 * self.times;
        out.push(Stmt::of(text, vec![first]));
    }

    /// The address of an object that is gone, or of one that is there, as a number. What is observed is the same wherever the objects
    /// are.
    fn address_as_number(&mut self, out: &mut Vec<Stmt>) {
        self.count("address as a number");
        let (u, v) = (self.fresh("n"), self.fresh("n"));
        let e = self.full(1).e;
        let make = match self.rng.below(3) {
            0 => format!("{{ int t = (int)#; {u} = (unsigned long)&t + 0 * t; }}"),
            1 => format!("{{ char *t = malloc(8); t[0] = (char)#; {u} = (unsigned long)t; free(t); }}"),
            _ => format!("{{ static int t; t = (int)#; {u} = (unsigned long)&t; }}"),
        };
        let look = match self.rng.below(6) {
            0 => format!("observe({u} == {v});"),
            1 => format!("observe({u} - {v}); observe({u} != 0);"),
            2 => format!("observe((unsigned char){u} == (unsigned char){v});"),
            3 => format!("observe(({u} ^ {v}) == 0); observe({u} % 4096 == {v} % 4096);"),
            4 => format!("{{ int t = 3; observe((unsigned long)&t == (unsigned long)&t); observe({u} == {v}); }}"),
            _ => format!(
                "{{ char *p = malloc(4), *q = malloc(4); observe(p == q); observe((unsigned long)p != {v} || {u} == {v}); free(p); \
                 free(q); }}"
            ),
        };
        self.cost += 2 * self.times;
        let text = format!("{{ unsigned long {u} = 0, {v}; {make} {v} = {u}; {look} }}");
        out.push(Stmt::of(&text, vec![e]));
    }

    /// A register at a constant address, which the native program finds memory at.
    fn register(&mut self, out: &mut Vec<Stmt>) {
        self.count("register");
        let ty = *self.rng.pick(&["unsigned char", "unsigned", "int", "short", "unsigned long"]);
        let at = format!("(*(volatile {ty} *){:#x})", 0x1000_0000 + 8 * self.rng.below(64));
        let (a, b) = (self.full(1).e, self.full(1).e);
        let text = match self.rng.below(3) {
            0 => format!("{{ {at} = ({ty})#; observe((int){at}); {at} = ({ty})#; }}"),
            1 => {
                format!("{{ volatile {ty} *r = &{at}; *r = ({ty})#; r[1] = ({ty})#; observe((int)*r == (int)r[0]); }}")
            }
            _ => format!(
                "{{ struct {{ volatile {ty} a, b; }} *r = (void *)&{at}; r->a = ({ty})#; r->b = ({ty})#; observe((int)r->b); }}"
            ),
        };
        self.cost += self.times;
        out.push(Stmt::of(&text, vec![a, b]));
    }

    /// Locals that change between `setjmp` and `longjmp`, in many ways, and some that do not. Their addresses are kept, so that they stay in
    /// memory also where passes run: else both the old and the new value would be right.
    fn changed_before_a_jump(&mut self, out: &mut Vec<Stmt>) {
        self.count("local changed before a jump");
        let buffer = self.fresh("@jb");
        self.items.push(Stmt::text(format!("static jmp_buf {buffer};")));
        let (a, b) = (self.full(1).e, self.full(1).e);
        let change = *self.rng.pick(&[
            "x = y;",
            "memcpy(&x, &y, sizeof x);",
            "memset(&x, 1, sizeof x);",
            "{ struct p *q = &x; *q = y; }",
            "x.b = y.a;",
            "{ struct p t = x; x = y; y = t; }",
            "strcpy((char *)&x, \"abc\");",
        ]);
        let text = format!(
            "{{ struct p {{ int a, b; }} x = {{(int)#, 2}}, y = {{(int)#, 4}}; volatile int z = 1; const int k = 5; \
             struct p *volatile in_memory[2] = {{&x, &y}}; (void)in_memory; if (setjmp({buffer}) == 0) {{ {change} z = 2; longjmp({buffer}, 3); }} observe(x.a); observe(x.b); observe(y.a); \
             observe(z); observe(k); }}"
        );
        self.cost += 3 * self.times;
        out.push(Stmt::of(&text, vec![a, b]));
    }
}
