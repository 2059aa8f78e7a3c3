//! Programs that show a finding: the analysed source with the inputs of a witness, so that anybody can see that it does not end.
//!
//! Everything that a witness leaves open may have any value, by the meaning of a divergence: what the environment decides (files,
//! time, functions that nobody knows, uninitialised memory) is as it happens to be when the program runs.

mod inputs;
mod memory;
mod script;

use crate::analyze::{EntryStudy, Study};
use crate::results::replay::replay;
use inputs::Inputs;
use lariat_ir::neutral::Origin;
use lariat_ir::{Claim, Integers, LocId, Mode, Property, SourceKind};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// How a file was analysed.
#[derive(Clone, Debug)]
pub struct Origins<'a> {
    /// The source.
    pub file: &'a Path,
    /// The flags for the compiler.
    pub flags: &'a [String],
}

/// A file to write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Harness {
    /// Its name, in the folder for all of them.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Whether it is a program, not only a text that says why there is none.
    pub runs: bool,
    /// Whether it is a recursion that does not end, which a stack of limited size does.
    pub recursion: bool,
}

pub use script::script;

/// The programs for each loop of an entry that was proved to run for ever.
pub fn harnesses(of: &Origins<'_>, entry: &EntryStudy) -> Vec<Harness> {
    let mut all = Vec::new();
    for study in &entry.studies {
        for (_, proof) in &study.analysis.proved {
            let claim = proof.claim();
            let Property::Diverges(header) = claim.property else { continue };
            // What holds for the loop around is the same run.
            if !all_inside(study, claim, header) {
                continue;
            }
            let body = if study.ts.integers == Integers::Ideal {
                on_a_machine(entry, study, header).and_then(|(study, claim)| program(of, entry, study, claim))
            } else {
                program(of, entry, study, claim)
            };
            all.push(harness(of, study, header, body));
        }
    }
    all
}

/// The proof for a loop where numbers wrap. A program runs on a machine: what runs for ever over the integers may end there.
fn on_a_machine<'a>(entry: &'a EntryStudy, study: &Study, header: LocId) -> Result<(&'a Study, &'a Claim), String> {
    let found = entry.beside.iter().find(|s| s.ts.integers == Integers::Wrap).and_then(|wrap| {
        let id = study.analysis.forest().with_header(header)?;
        let there = wrap.findings().hangs(study.analysis.control.source_of(id)?)?;
        let hangs = Property::Diverges(wrap.analysis.forest().loops[there].header);
        let mut claims = wrap.analysis.proved.iter().map(|(_, p)| p.claim());
        claims.find(|c| c.property == hangs).map(|claim| (wrap, claim))
    });
    found.ok_or_else(|| {
        "it runs for ever over integers of any size; that it does so on a machine, where they wrap, was not proved"
            .into()
    })
}

/// Whether this is the innermost loop that the run of a claim stays in: only then the run visits its header.
fn all_inside(study: &Study, claim: &Claim, header: LocId) -> bool {
    let Some(run) = replay(&study.ts, claim, 1, 0) else { return true };
    let forest = study.analysis.forest();
    let Some(this) = forest.with_header(header) else { return true };
    let inner = forest.loops.entries().filter(|(id, _)| *id != this && forest.is_inside(*id, this));
    let stays = |body: &std::collections::BTreeSet<LocId>| {
        run.round(0).iter().all(|m| body.contains(&study.ts.edges[m.edge].from))
    };
    !inner.into_iter().any(|(_, l)| stays(&l.body))
}

fn harness(of: &Origins<'_>, study: &Study, header: LocId, body: Result<String, String>) -> Harness {
    let location = &study.ts.locs[header];
    let file = of.file.file_stem().map_or_else(|| "program".into(), |s| s.to_string_lossy().into_owned());
    let function = location.function.as_deref().unwrap_or("loop");
    let line = location.span.as_ref().map_or(0, |s| s.line);
    let plain = |text: &str| text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect::<String>();
    let name = format!("{}-{}-{line}", plain(&file), plain(function));
    let place = location.span.as_ref().map_or_else(|| format!("`{}`", location.name), ToString::to_string);
    let control = &study.analysis.control;
    let source = control.forest().with_header(header).and_then(|id| control.source_of(id));
    let recursion = source.is_some_and(|c| c.key.kind == SourceKind::Recursion);
    match body {
        Ok(body) => {
            let head = format!(
                "/* The loop at {place} runs for ever with these inputs.\n   Made by lariat; run.sh in this folder builds and runs it. */\n"
            );
            Harness { name: format!("{name}.c"), text: head + &body, runs: true, recursion }
        }
        Err(why) => {
            let text =
                format!("The loop at {place} was proved to run for ever.\nThere is no program that shows it: {why}.\n");
            Harness { name: format!("{name}.txt"), text, runs: false, recursion }
        }
    }
}

/// The text of a program that runs for ever, or why there is none.
fn program(of: &Origins<'_>, entry: &EntryStudy, study: &Study, claim: &Claim) -> Result<String, String> {
    let source = &entry.source;
    if !source.is_known() || of.file.extension().is_none_or(|e| e != "c" && e != "i") {
        return Err("only C sources are put into programs".into());
    }
    if source.origins.devices {
        return Err("it accesses registers of a device, which is not here".into());
    }
    let run = replay(&study.ts, claim, ROUNDS, STEPS).ok_or("the proof has no run that can be followed")?;
    let inputs = Inputs::of(study, source, claim, &run)?;
    let path = std::fs::canonicalize(of.file).unwrap_or_else(|_| of.file.to_owned());
    let path = path.display().to_string();
    if path.contains(['"', '\\', '\n']) {
        return Err("the name of the source file cannot be written in C".into());
    }
    let mut out = String::new();
    let _ = writeln!(out, "#define main lariat_main\n#include \"{path}\"\n#undef main\n");
    out.push_str(&inputs.definitions());
    for f in source.origins.unknown_functions.iter().chain(&source.origins.assumes) {
        if !inputs.functions.contains_key(f) && is_name(f) {
            let n = f.as_str();
            let _ = writeln!(
                out,
                "/* Nothing depends on what `{n}` does. */\n__attribute__((weak)) long long lariat_{n}(void) __asm__(\"{n}\");\n\
                 __attribute__((weak)) long long lariat_{n}(void) {{ return 0; }}\n"
            );
        }
    }
    let memory = memory::Memory::of(study, source, claim, &run, &inputs)?;
    out.push_str(&memory.externs);
    if memory.maps() {
        out.push_str(MAP);
    }
    let (declared, first) = inputs::standard_input(&inputs.standard_input);
    out.push_str(&declared);
    out.push_str("int main(void) {\n");
    out.push_str(&first);
    out.push_str(&memory.setup);
    let entry_function =
        if entry.name == "main" && study.ts.mode == Mode::Program { "lariat_main" } else { &entry.name };
    if !is_name(entry_function) {
        return Err(format!("`{entry_function}` cannot be called from C"));
    }
    let mut arguments = arguments(entry, &inputs, &memory)?;
    let mut callee = entry_function.to_owned();
    if study.ts.mode == Mode::Program && arguments.len() == 1 {
        // Where a command line lies is no input; what it says is. Whoever takes fewer arguments does not mind more.
        arguments.extend([memory::command_line(&inputs, source), "(char *[]){ 0 }".to_owned()]);
        callee = format!("((int (*)(int, char **, char **)){callee})");
    }
    let _ = writeln!(out, "    {callee}({});\n    return 0;\n}}", arguments.join(", "));
    Ok(out)
}

/// Memory of which only the touched pages are there.
const MAP: &str = "\
void *lariat_mmap(void *, __SIZE_TYPE__, int, int, int, long) __asm__(\"mmap\");
long lariat_write(int, const void *, __SIZE_TYPE__) __asm__(\"write\");
void lariat_exit(int) __asm__(\"_exit\");
static char *lariat_map(__SIZE_TYPE__ bytes) {
    /* PROT_READ | PROT_WRITE; MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE */
    char *memory = lariat_mmap(0, bytes, 3, 0x4022, -1, 0);
    if (memory == (char *)-1) {
        lariat_write(2, \"lariat: no memory\\n\", 18);
        lariat_exit(98);
    }
    return memory;
}

";

/// How far a run is followed to see which inputs it reads.
const ROUNDS: usize = 200;
const STEPS: usize = 4000;

/// The arguments of the entry, in their order.
fn arguments(entry: &EntryStudy, inputs: &Inputs, memory: &memory::Memory) -> Result<Vec<String>, String> {
    let mut found: BTreeMap<usize, String> = BTreeMap::new();
    for (u, value) in &inputs.parameters {
        let Some(Origin::Parameter { number, pointer, name }) = entry.source.origin(*u) else { continue };
        let text = match pointer {
            Some(_) => memory.pointer(value).ok_or_else(|| format!("`{name}` points to nothing that can be made"))?,
            None => memory::number(value),
        };
        if found.insert(*number, text).is_some() {
            return Err(format!("the parameter `{name}` has several parts"));
        }
    }
    let count = found.len();
    if found.keys().copied().ne(0..count) {
        return Err("not every parameter is an input of the witness".into());
    }
    Ok(found.into_values().collect())
}

/// Whether a text is an identifier of C.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
