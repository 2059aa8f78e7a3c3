//! Inline assembly: whether control comes out at its end.
//!
//! What an instruction does to registers and memory is not looked at: outputs, and all memory that others know of, are values
//! of the environment. But assembly may end the program (`ud2`, a system call), wait for ever, or go elsewhere, and no report
//! may assume that it does not where the text shows that it may. So the text must consist of instructions of which it is
//! known that they go on to the next one; whatever else it contains may do anything. Data in a section of its own, such as a table of notes for a tool, is not
//! executed: the text may go to a section that nobody runs, write data there, and come back.

use crate::module::Module;

/// Whether every instruction of a text in a module is known to go on to the next one. Where functions stand in sections of the program's own, what is written to a section may be executed.
pub(in crate::translate) fn goes_on(module: &Module, text: &str) -> bool {
    falls_through(text) && !(text.contains("section") && module.functions.iter().any(|f| f.placed))
}

/// Whether every instruction of a text is known to go on to the next one, if no function stands in the sections that it names.
fn falls_through(text: &str) -> bool {
    let mut statements = text.split(['\n', '\r', ';']).map(str::trim).filter(|s| !s.is_empty());
    let mut at = Position::default();
    statements.all(|s| statement(s, &mut at)) && !at.locked && !at.aside
}

/// What is known between two statements.
#[derive(Default)]
struct Position {
    /// The prefix `lock` stands before the next one, by itself.
    locked: bool,
    /// They are in a section of data.
    aside: bool,
}

fn statement(line: &str, at: &mut Position) -> bool {
    let mut rest = line;
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
        rest = rest[word.len()..].trim_start();
        if at.aside || [".section", ".pushsection"].contains(&word.as_str()) {
            return !at.locked && data(&word, rest, at);
        }
        if !PREFIXES.contains(&word.as_str()) {
            // Only a read-modify-write of memory may be locked.
            let lockable = !std::mem::take(&mut at.locked) || is_one_of(&word, LOCKABLE) && rest.contains('$');
            return lockable && is_one_of(&word, INSTRUCTIONS) && (word.starts_with('.') || operands(rest));
        }
        at.locked |= word == "lock";
    }
}

/// A directive that goes to a section of data, writes there, or comes back.
fn data(word: &str, rest: &str, at: &mut Position) -> bool {
    match word {
        ".section" | ".pushsection" => {
            let name = rest.split([',', ' ', '\t']).next().unwrap_or_default().trim_matches('"');
            // What the loader or the program itself runs, or reads as objects of its own.
            let kept = [".text", ".init", ".fini", ".ctors", ".dtors", ".preinit", ".data", ".rodata", ".bss", ".t"];
            let is_other = !name.is_empty() && !kept.iter().any(|k| name.starts_with(k));
            let was_aside = std::mem::replace(&mut at.aside, true);
            is_other && !was_aside
        }
        ".text" | ".previous" | ".popsection" => {
            at.aside = false;
            true
        }
        _ => DATA.binary_search(&word).is_ok(),
    }
}

/// Whether operands are what the compiler put in, numbers, or registers that any code may use. What is behind a register, or at a number, may
/// be no memory, and registers that the system keeps, or the stack's, are not to be touched.
fn operands(text: &str) -> bool {
    let text = text.split(['#', '@']).next().unwrap_or_default();
    let plain = |operand: &str| {
        let name = operand.trim_start_matches('%').to_ascii_lowercase();
        let kept = ["cr", "dr", "cs", "ds", "es", "fs", "gs", "ss", "st", "tr"];
        let is_kept = kept.iter().any(|k| name.strip_prefix(k).is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit())));
        let is_stack = ["sp", "esp", "rsp", "spl", "bp", "ebp", "rbp"].contains(&name.as_str());
        operand.starts_with('$')
            || name.starts_with(|c: char| c.is_ascii_alphabetic())
                && name.bytes().all(|b| b.is_ascii_alphanumeric())
                && !is_kept
                && !is_stack
    };
    text.split(',').map(str::trim).filter(|o| !o.is_empty()).all(plain)
}

/// Whether a word is in a sorted list, perhaps with a letter for the size of the operands.
fn is_one_of(word: &str, list: &[&str]) -> bool {
    let known = |w: &str| list.binary_search(&w).is_ok();
    known(word) || word.strip_suffix(['b', 'w', 'l', 'q']).is_some_and(known)
}

const PREFIXES: &[&str] = &["lock", "rep", "repe", "repne", "repnz", "repz"];

/// What writes data, in the order of the alphabet.
const DATA: &[&str] = &[
    ".2byte", ".4byte", ".8byte", ".align", ".ascii", ".asciz", ".balign", ".byte", ".hword", ".int", ".long",
    ".p2align", ".quad", ".short", ".skip", ".space", ".string", ".word", ".zero",
];

/// What `lock` may stand before, in the order of the alphabet.
const LOCKABLE: &[&str] = &[
    "adc",
    "add",
    "and",
    "btc",
    "btr",
    "bts",
    "cmpxchg",
    "cmpxchg16b",
    "cmpxchg8b",
    "dec",
    "inc",
    "neg",
    "not",
    "or",
    "sbb",
    "sub",
    "xadd",
    "xchg",
    "xor",
];

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
    "lea",
    "lfence",
    "li",
    "lzcnt",
    "mfence",
    "mov",
    "movabs",
    "movd",
    "movdqu",
    "movnti",
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
    "popcnt",
    "prefetchnta",
    "prefetcht0",
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
        assert!(DATA.windows(2).all(|w| w[0] < w[1]), "{DATA:?}");
    }

    #[test]
    fn what_falls_through() {
        for text in [
            "",
            "nop",
            "\tnop\n\tpause",
            "lock; addl $$1, $0",
            "mov $1, $0\n\tadd $$3, ${0:k}",
            "lock xaddl $0, $1",
            "mfence # a barrier",
            "rdtsc",
            "1: nop",
            "# barrier",
            "MOV %eax, %ebx",
            "wfi",
            "1:\n .section .notes\n .long 1b\n .long 1, 29\n .text",
            ".pushsection __ex_table,\"a\",@progbits\n .balign 4\n .long 1b - .\n .popsection\n nop",
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
            "rep stosb",
            "nop\rud2",
            "lock; nop",
            "lock",
            "lock; incl %eax",
            "mov %cr0, %rax",
            "mov $0, %esp",
            "popf",
            "movl 0, %eax",
            "movl (%rax), %eax",
            "movdqa $0, %xmm0",
            "loop 1b",
            "bl f",
            ".long 1",
            ".section .notes\n .long 1",
            ".section .notes\n nop\n .text",
            ".section .init_array\n .quad f\n .text",
            ".section .text.other\n .long 1\n .text",
            ".section .notes\n .section .more\n .previous",
            ".section .notes\n .text\n ud2",
            ".section .notes\n lock\n .text",
        ] {
            assert!(!falls_through(text), "{text}");
        }
    }
}
