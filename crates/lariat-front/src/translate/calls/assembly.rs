//! Inline assembly: whether control comes out at its end.
//!
//! What an instruction does to registers and memory is not looked at: outputs, and all memory that others know of, are values
//! of the environment. But assembly may end the program (`ud2`, a system call), wait for ever, or go elsewhere, and no report
//! may assume that it does not where the text shows that it may. So the text must consist of instructions of which it is
//! known that they go on to the next one; whatever else it contains, directives included, may do anything.

/// Whether every instruction of a text is known to go on to the next one.
pub(super) fn falls_through(text: &str) -> bool {
    text.split(['\n', ';']).all(statement)
}

fn statement(line: &str) -> bool {
    let mut rest = line.trim();
    // What stands behind a mark of a comment is part of the statement for some assemblers: it only makes more unknown.
    if rest.starts_with('#') || rest.starts_with("//") || rest.starts_with('@') {
        return true;
    }
    // Labels, which nothing here jumps to.
    while let Some((label, behind)) = rest.split_once(':') {
        let plain = |c: char| c.is_ascii_alphanumeric() || "._$%={}".contains(c);
        if label.is_empty() || !label.chars().all(plain) {
            break;
        }
        rest = behind.trim_start();
    }
    loop {
        let word: String = rest.chars().take_while(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
        if word.is_empty() {
            return true;
        }
        if !PREFIXES.contains(&word.as_str()) {
            return goes_on(&word);
        }
        rest = rest[word.len()..].trim_start();
    }
}

fn goes_on(word: &str) -> bool {
    let known = |w: &str| INSTRUCTIONS.binary_search(&w).is_ok();
    // The letter for the size of the operands.
    known(word) || word.strip_suffix(['b', 'w', 'l', 'q']).is_some_and(known)
}

const PREFIXES: &[&str] = &["lock", "rep", "repe", "repne", "repnz", "repz"];

/// In the order of the alphabet. Instructions that may trap (`div`, `in`, `cli`) are not among them, nor any that jump.
const INSTRUCTIONS: &[&str] = &[
    ".align",
    ".balign",
    ".p2align",
    "adc",
    "add",
    "and",
    "bsf",
    "bsr",
    "bswap",
    "bt",
    "btc",
    "btr",
    "bts",
    "cld",
    "clflush",
    "clrex",
    "cmc",
    "cmovc",
    "cmove",
    "cmovne",
    "cmovz",
    "cmp",
    "cmpxchg",
    "cmpxchg16b",
    "cmpxchg8b",
    "cpuid",
    "dec",
    "dmb",
    "dsb",
    "eor",
    "fence",
    "fence.i",
    "imul",
    "inc",
    "isb",
    "lddqu",
    "ldr",
    "lea",
    "lfence",
    "li",
    "lodsb",
    "lzcnt",
    "mfence",
    "mov",
    "movabs",
    "movd",
    "movdqa",
    "movdqu",
    "movnti",
    "movs",
    "movss",
    "movsx",
    "movups",
    "movz",
    "movzbl",
    "movzx",
    "mul",
    "mv",
    "neg",
    "nop",
    "not",
    "or",
    "orr",
    "pause",
    "pop",
    "popcnt",
    "popf",
    "prefetchnta",
    "prefetcht0",
    "push",
    "pushf",
    "rdcycle",
    "rdtsc",
    "rdtscp",
    "rev",
    "rol",
    "ror",
    "sal",
    "sar",
    "sbb",
    "setc",
    "sete",
    "setne",
    "setz",
    "sev",
    "sfence",
    "shl",
    "shld",
    "shr",
    "shrd",
    "stc",
    "std",
    "stos",
    "str",
    "sub",
    "test",
    "tzcnt",
    "wfe",
    "wfi",
    "xadd",
    "xchg",
    "xor",
    "yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_order() {
        assert!(INSTRUCTIONS.windows(2).all(|w| w[0] < w[1]), "{INSTRUCTIONS:?}");
    }

    #[test]
    fn what_falls_through() {
        for text in [
            "",
            "nop",
            "\tnop\n\tpause",
            "lock; addl $$1, $0",
            "lock xaddl $0, $1",
            "rep stosb",
            "mfence # a barrier",
            "rdtsc",
            "1: nop",
            "# barrier",
            "MOV %eax, %ebx",
            "wfi",
        ] {
            assert!(falls_through(text), "{text}");
        }
    }

    #[test]
    fn what_may_not() {
        for text in [
            "ud2",
            "hlt",
            "syscall",
            "int $$0x80",
            "int3",
            "jmp 1b",
            "1: jmp 1b",
            "nop; ret",
            "nop\nud2",
            ".byte 0x0f, 0x0b",
            "1: dec $0\n jnz 1b",
            "call f",
            "svc #0",
            "b .",
            "brk #1",
            "ecall",
            "divl $0",
            "unheard_of",
            "lock; hlt",
            "cli",
            "rep; ret",
            "loop 1b",
            "bl f",
        ] {
            assert!(!falls_through(text), "{text}");
        }
    }
}
