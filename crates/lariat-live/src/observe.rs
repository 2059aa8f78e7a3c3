//! From a thread's state to observed iterations: the trace, the headers of loops in it, and the iterations at a header.

use crate::cpu::{Cpu, GENERAL, GENERAL_NAMES, MASKS, Nobody, VECTORS};
use crate::lift::Lifted;
use crate::machine::Machine;
use crate::record::Record;
use crate::stop::Stop;
use crate::symbolic::{Loc, Symbolic};
use lariat_ir::fast::{FastMap, FastSet};
use lariat_ir::observed::{Cell, Fresh, Iteration, Observed};
use lariat_ir::simplify::simplify_all;
use lariat_ir::{Bits, Op, Role, Sort, Term, Terms};
use std::collections::BTreeMap;
use std::time::Instant;

/// A run of the emulator from the state in which a thread was held.
pub struct Trace {
    /// The state at the start.
    pub start: Cpu,
    /// The state at the end.
    end: Cpu,
    /// How many instructions were run.
    pub length: u64,
    /// Why it ended.
    pub stop: Stop,
    /// Where it ended.
    pub stopped_at: u64,
    /// How many instructions were run before the first whose result may be another in the target.
    foreseen: u64,
    /// Where jumps led, with the stack pointer there and the number of instructions before.
    visits: FastMap<(u64, u64), Visits>,
}

#[derive(Clone, Default)]
struct Visits {
    first: u64,
    last: u64,
    count: u64,
}

/// A place to which the run returns: a program counter and a stack pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Head {
    /// The program counter.
    pub address: u64,
    /// The stack pointer.
    pub stack: u64,
    /// The number of instructions before the first visit.
    pub first: u64,
    /// How often it was visited.
    pub visits: u64,
    /// The number of instructions from the first to the last visit.
    pub span: u64,
    /// Whether the target is known to come here. Behind something that may go otherwise in the target nothing is known.
    pub foreseen: bool,
}

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Instructions.
    pub instructions: u64,
    /// The end of the time for which the target may be held.
    pub until: Instant,
}

impl Trace {
    /// Runs a thread's state until something stops it. The target has to be held.
    pub fn record(machine: &mut Machine, start: Cpu, budget: Budget) -> Self {
        machine.lifter.begin();
        let mut cpu = start.clone();
        let mut foreseen = u64::MAX;
        let mut visits: FastMap<(u64, u64), Visits> = FastMap::default();
        let mut length = 0;
        let stop = loop {
            if let Some(call) = cpu.in_call {
                break Stop::SystemCall(call);
            }
            if cpu.restartable {
                break Stop::Restartable;
            }
            if length >= budget.instructions {
                break Stop::Budget;
            }
            if length % 256 == 0 && Instant::now() >= budget.until {
                break Stop::Time;
            }
            let lifted = match machine.step(&mut cpu, &mut Nobody) {
                Ok(lifted) => lifted,
                Err(stop) => break stop,
            };
            if cpu.unforeseen > 0 && foreseen == u64::MAX {
                foreseen = length;
            }
            length += 1;
            if lifted.branches() {
                let v = visits.entry((cpu.rip, cpu.stack_pointer())).or_default();
                if v.count == 0 {
                    v.first = length;
                }
                v.last = length;
                v.count += 1;
            }
        };
        let stopped_at = cpu.rip;
        Self { start, end: cpu, length, stop, stopped_at, foreseen, visits }
    }

    /// Cuts the ties to the target: what was read is kept, as it was at the start.
    pub fn seal(mut self) -> Self {
        // The run has fetched pages that its start has not; those it did not write are as they were, and those that it
        // wrote were fetched into the start as well when they are read again below.
        self.start.memory.take_over(&self.end.memory);
        self.start.memory.seal();
        self.end.memory.seal();
        self
    }

    /// Files other than programs that iterations read and that the process has no copy of: the iterations are as they are
    /// only while nobody writes these.
    pub fn files(&self, iterations: &Loop) -> Vec<String> {
        let memory = |(place, _): &(CellPlace, Vec<u8>)| match place {
            CellPlace::Memory(a, n) => Some([*a, a + u64::from(n.saturating_sub(1))]),
            CellPlace::Register(..) => None,
        };
        let constants = iterations.constants.iter().filter_map(memory).flatten();
        let cells = iterations.places.iter().filter_map(|p| memory(&(*p, Vec::new()))).flatten();
        let all = constants.chain(cells).chain(iterations.code.iter().copied());
        let mut files: Vec<String> = all.filter_map(|a| self.start.memory.file_behind(a)).map(str::to_owned).collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// The addresses of all pages that the run has touched.
    pub fn pages(&self) -> Vec<u64> {
        self.start.memory.pages().collect()
    }

    /// Heads of loops, the outermost first: visited least often, with the stack as empty as possible.
    pub fn heads(&self) -> Vec<Head> {
        let mut all: Vec<Head> = self
            .visits
            .iter()
            .filter(|(_, v)| v.count >= 3)
            .map(|((address, stack), v)| Head {
                address: *address,
                stack: *stack,
                first: v.first,
                visits: v.count,
                span: v.last - v.first,
                foreseen: v.first <= self.foreseen,
            })
            .collect();
        all.sort_by_key(|h| (h.visits, u64::MAX - h.stack, h.first, h.address));
        // Heads that are visited equally often are places in one loop: the first of them stands for all, and one more, as a
        // proof may succeed at one and not at another.
        let mut times: FastMap<u64, u32> = FastMap::default();
        all.retain(|h| {
            let n = times.entry(h.visits).or_default();
            *n += 1;
            *n <= 2
        });
        // Places that were seen only at the beginning or in passing come last.
        let covers = |h: &Head| h.span * 2 >= self.length;
        let (mut covering, rest): (Vec<Head>, Vec<Head>) = all.into_iter().partition(covers);
        covering.extend(rest);
        covering
    }
}

/// The iterations at a header, with what they are made of.
pub struct Loop {
    /// The iterations.
    pub observed: Observed,
    /// Where each cell is.
    pub places: Vec<CellPlace>,
    /// The bytes that iterations read and that never change: their values are part of the terms.
    pub constants: Vec<(CellPlace, Vec<u8>)>,
    /// The addresses of the instructions of all iterations.
    pub code: Vec<u64>,
    /// Instructions an iteration: the least and the most.
    pub instructions: (u64, u64),
    /// Memory that is read and that others may write.
    pub volatile: Vec<u64>,
    /// The general registers at the header, by their numbers.
    pub registers: [u64; 16],
}

/// Where a cell is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CellPlace {
    /// In a register: an offset into the file, and a size.
    Register(u32, u32),
    /// In memory: an address and a size.
    Memory(u64, u32),
}

impl CellPlace {
    /// The register's name, for a reader.
    pub fn register_name(self) -> Option<String> {
        match self {
            Self::Register(offset, size) => Some(register_name(offset, size)),
            Self::Memory(..) => None,
        }
    }
    fn loc(self) -> (Loc, u32) {
        match self {
            Self::Register(o, n) => (Loc::File(o), n),
            Self::Memory(a, n) => (Loc::Memory(a), n),
        }
    }
}

/// Values of inputs at headers, all together.
const MOST_VALUES: usize = 32_000_000;

/// Runs iterations at a header, symbolically.
///
/// `iterations` is how many are wanted; there may be fewer.
pub fn iterate(machine: &mut Machine, trace: &Trace, head: Head, iterations: u64) -> Result<Loop, Stop> {
    let mut at_head = trace.start.clone();
    for _ in 0..head.first {
        machine.plain_step(&mut at_head)?;
    }
    let end_of = |cpu: &Cpu| cpu.rip == head.address && cpu.stack_pointer() == head.stack;
    // What is read.
    let mut record = Record::new();
    let mut code: FastSet<u64> = FastSet::default();
    let mut cpu = at_head.clone();
    let mut lengths = Vec::new();
    let left = trace.length - head.first;
    let mut total = 0;
    'runs: for _ in 0..iterations.min(head.visits - 1) {
        let mut length = 0;
        loop {
            if total >= left {
                break 'runs;
            }
            code.insert(cpu.rip);
            let lifted = machine.step(&mut cpu, &mut record)?;
            length += 1;
            total += 1;
            if is_arrival(&lifted) && end_of(&cpu) {
                break;
            }
        }
        lengths.push(length);
        record.next_iteration();
    }
    if lengths.is_empty() {
        return Err(Stop::Budget);
    }
    let mut inputs: Vec<Loc> = record.inputs.iter().copied().collect();
    inputs.sort_unstable();
    if inputs.len() * lengths.len() > MOST_VALUES {
        return Err(Stop::Budget);
    }
    // What each input is at each header. Where everything is as it was before, the rest is a repetition.
    let mut rows: Vec<Vec<u8>> = Vec::with_capacity(lengths.len() + 1);
    let mut seen: FastSet<Vec<u8>> = FastSet::default();
    let mut cpu = at_head.clone();
    let first = values(&mut cpu, &inputs)?;
    seen.insert(first.clone());
    rows.push(first);
    for length in &lengths {
        for _ in 0..*length {
            machine.plain_step(&mut cpu)?;
        }
        let row = values(&mut cpu, &inputs)?;
        let again = !seen.insert(row.clone());
        rows.push(row);
        if again && rows.len() > 2 {
            break;
        }
    }
    lengths.truncate(rows.len() - 1);
    let mut variable: FastSet<Loc> = FastSet::default();
    for (n, at) in inputs.iter().enumerate() {
        if rows.iter().any(|r| r[n] != rows[0][n]) {
            variable.insert(*at);
        }
    }
    // The rest never changed so far. Which of them an iteration computes from something that changes comes out below; each
    // round has more variables than the one before.
    loop {
        widen(&mut variable, &record.pieces, &record.inputs);
        let places = cells(&variable, &record.pieces);
        let attempt = Attempt { machine, start: &at_head, lengths: &lengths, inputs: &inputs, places: &places };
        match attempt.run(&variable)? {
            Err(more) => variable.extend(more),
            Ok((terms, cells, fresh, summaries)) => {
                let of_cell = |row: &Vec<u8>, place: &CellPlace| {
                    let (at, size) = place.loc();
                    let mut bytes = [0u8; 16];
                    for n in 0..size {
                        if let Ok(found) = inputs.binary_search(&at.plus(n)) {
                            bytes[n as usize] = row[found];
                        }
                    }
                    Bits::new(8 * size, u128::from_le_bytes(bytes))
                };
                let heads = rows.iter().map(|r| places.iter().map(|p| of_cell(r, p)).collect()).collect();
                let constants = constants(&inputs, &rows[0], &variable, &record.pieces);
                let mut distinct: FastMap<Iteration, usize> = FastMap::default();
                let mut all = Vec::new();
                let mut order = Vec::new();
                for i in summaries {
                    let next = distinct.len();
                    let id = *distinct.entry(i.clone()).or_insert(next);
                    if id == next {
                        all.push(i);
                    }
                    order.push(id);
                }
                let observed = Observed { terms, cells, fresh, iterations: all, order, heads };
                let mut code: Vec<u64> = code.into_iter().collect();
                code.sort_unstable();
                let least = lengths.iter().copied().min().unwrap_or_default();
                let most = lengths.iter().copied().max().unwrap_or_default();
                let mut volatile: Vec<u64> = record.volatile.iter().copied().collect();
                volatile.sort_unstable();
                let registers = GENERAL.map(|o| u64::try_from(at_head.get(o, 8)).expect("a register has 64 bits"));
                let instructions = (least, most);
                return Ok(Loop { observed, places, constants, code, instructions, volatile, registers });
            }
        }
    }
}

/// Whether an instruction can be the last of an iteration: headers are where jumps lead.
fn is_arrival(lifted: &Lifted) -> bool {
    lifted.branches()
}

/// The bytes of some places, which are in order.
fn values(cpu: &mut Cpu, places: &[Loc]) -> Result<Vec<u8>, Stop> {
    let mut out = vec![0; places.len()];
    let mut n = 0;
    while n < places.len() {
        match places[n] {
            Loc::File(o) => {
                out[n] = cpu.file[o as usize];
                n += 1;
            }
            // Neighbours in memory are read together.
            Loc::Memory(a) => {
                let follows = |m: usize| places.get(m) == Some(&Loc::Memory(a.wrapping_add((m - n) as u64)));
                let end = (n + 1..places.len()).find(|m| !follows(*m)).unwrap_or(places.len());
                cpu.memory.read(a, &mut out[n..end])?;
                n = end;
            }
        }
    }
    Ok(out)
}

/// Where one byte of a number varies all of its bytes count as variable: numbers make better invariants than bytes.
fn widen(variable: &mut FastSet<Loc>, pieces: &FastSet<(Loc, u32)>, inputs: &FastSet<Loc>) {
    let whole: Vec<(Loc, u32)> =
        pieces.iter().copied().filter(|(at, n)| *n <= 8 && (0..*n).all(|i| inputs.contains(&at.plus(i)))).collect();
    loop {
        let before = variable.len();
        for (at, n) in &whole {
            if (0..*n).any(|i| variable.contains(&at.plus(i))) {
                variable.extend((0..*n).map(|i| at.plus(i)));
            }
        }
        if variable.len() == before {
            break;
        }
    }
}

/// Puts variable bytes together to cells: the largest pieces in which they are accessed, where smaller ones lie inside, else bytes.
fn cells(variable: &FastSet<Loc>, pieces: &FastSet<(Loc, u32)>) -> Vec<CellPlace> {
    let inside = |at: Loc, n: u32| n <= 16 && (0..n).all(|i| variable.contains(&at.plus(i)));
    let mut sorted: Vec<(Loc, u32)> = pieces.iter().copied().filter(|(at, n)| inside(*at, *n)).collect();
    // By place, the largest first.
    sorted.sort_unstable_by_key(|(at, n)| (*at, u32::MAX - n));
    let mut taken: Vec<(Loc, u32)> = Vec::new();
    let mut broken: FastSet<Loc> = FastSet::default();
    for (at, n) in sorted {
        let same_kind = |e: Loc| std::mem::discriminant(&e) == std::mem::discriminant(&at);
        match taken.last() {
            Some((begin, size)) if same_kind(*begin) && at < begin.plus(*size) => {
                if at.plus(n) > begin.plus(*size) {
                    // It sticks out: both fall to bytes.
                    let (begin, size) = (*begin, *size);
                    broken.extend((0..size).map(|i| begin.plus(i)).chain((0..n).map(|i| at.plus(i))));
                }
            }
            _ => taken.push((at, n)),
        }
    }
    taken.retain(|(at, n)| !(0..*n).any(|i| broken.contains(&at.plus(i))));
    let covered: FastSet<Loc> = taken.iter().flat_map(|(at, n)| (0..*n).map(|i| at.plus(i))).collect();
    taken.extend(variable.iter().filter(|b| !covered.contains(b)).map(|b| (*b, 1)));
    taken.sort_unstable();
    let place = |(at, n): (Loc, u32)| match at {
        Loc::File(o) => CellPlace::Register(o, n),
        Loc::Memory(a) => CellPlace::Memory(a, n),
    };
    taken.into_iter().map(place).collect()
}

/// Runs of constant bytes.
fn constants(
    inputs: &[Loc],
    values: &[u8],
    variable: &FastSet<Loc>,
    pieces: &FastSet<(Loc, u32)>,
) -> Vec<(CellPlace, Vec<u8>)> {
    let starts: FastSet<Loc> = pieces.iter().map(|(at, _)| *at).collect();
    let mut out: Vec<(Loc, Vec<u8>)> = Vec::new();
    for (at, value) in inputs.iter().zip(values) {
        if variable.contains(at) {
            continue;
        }
        match out.last_mut() {
            Some((begin, bytes))
                if begin.plus(u32::try_from(bytes.len()).unwrap_or(u32::MAX)) == *at
                    && !starts.contains(at)
                    && bytes.len() < 16 =>
            {
                bytes.push(*value);
            }
            _ => out.push((*at, vec![*value])),
        }
    }
    out.into_iter()
        .map(|(at, bytes)| {
            let n = u32::try_from(bytes.len()).expect("runs are short");
            let place = match at {
                Loc::File(o) => CellPlace::Register(o, n),
                Loc::Memory(a) => CellPlace::Memory(a, n),
            };
            (place, bytes)
        })
        .collect()
}

struct Attempt<'a> {
    machine: &'a mut Machine,
    start: &'a Cpu,
    lengths: &'a [u64],
    inputs: &'a [Loc],
    places: &'a [CellPlace],
}

type Summaries = (Terms, Vec<Cell>, Vec<Fresh>, Vec<Iteration>);

impl Attempt<'_> {
    /// The summaries, or the bytes that have to be variable, too.
    fn run(self, variable: &FastSet<Loc>) -> Result<Result<Summaries, Vec<Loc>>, Stop> {
        let terms = Terms::new();
        let mut names: BTreeMap<String, u32> = BTreeMap::new();
        let cells: Vec<Cell> = self
            .places
            .iter()
            .map(|place| {
                let (_, size) = place.loc();
                let mut name = match place {
                    CellPlace::Register(o, n) => register_name(*o, *n),
                    CellPlace::Memory(a, n) => format!("m_{a:x}_{n}"),
                };
                let times = names.entry(name.clone()).or_default();
                *times += 1;
                if *times > 1 {
                    name = format!("{name}_{times}");
                }
                let term = terms.symbol(&name, Sort::BitVec(8 * size), Role::Free);
                Cell { name, width: 8 * size, term }
            })
            .collect();
        let located: Vec<(Loc, Cell)> = self.places.iter().zip(&cells).map(|(p, c)| (p.loc().0, c.clone())).collect();
        let mut fresh = Vec::new();
        let mut summaries = Vec::new();
        let mut cpu = self.start.clone();
        let mut more: FastSet<Loc> = FastSet::default();
        for length in self.lengths {
            let mut symbolic = Symbolic::new(&terms, &located, &mut fresh);
            for _ in 0..*length {
                self.machine.step(&mut cpu, &mut symbolic)?;
            }
            for at in self.inputs {
                if !variable.contains(at) && symbolic.is_symbolic(*at) {
                    more.insert(*at);
                }
            }
            let mut changes = Vec::new();
            for (n, (place, cell)) in self.places.iter().zip(&cells).enumerate() {
                let (at, size) = place.loc();
                let bytes = values(&mut cpu, &(0..size).map(|i| at.plus(i)).collect::<Vec<_>>())?;
                let mut whole = [0u8; 16];
                whole[..bytes.len()].copy_from_slice(&bytes);
                let concrete = u128::from_le_bytes(whole);
                let after = symbolic.read(at, size, concrete).unwrap_or_else(|| terms.bv(cell.width, concrete));
                if after != cell.term {
                    changes.push((n, after));
                }
            }
            let constraints = std::mem::take(&mut symbolic.constraints);
            summaries.push(tidy(&terms, constraints, changes));
        }
        if more.is_empty() { Ok(Ok((terms, cells, fresh, summaries))) } else { Ok(Err(more.into_iter().collect())) }
    }
}

/// Where a guard says that a cell is a number, the rest is said with the number.
fn tidy(terms: &Terms, guards: Vec<Term>, changes: Vec<(usize, Term)>) -> Iteration {
    let mut guards = guards;
    let mut changes = changes;
    for _ in 0..4 {
        let mut known: FastMap<Term, Term> = FastMap::default();
        for g in &guards {
            let node = terms.node(*g);
            if node.op == Op::Eq {
                let (a, b) = (node.args()[0], node.args()[1]);
                for (x, c) in [(a, b), (b, a)] {
                    if matches!(terms.node(x).op, Op::Symbol(_)) && terms.constant_value(c).is_some() {
                        known.insert(x, c);
                    }
                }
            }
        }
        if known.is_empty() {
            break;
        }
        let facts: Vec<Term> = guards
            .iter()
            .copied()
            .filter(|g| {
                let node = terms.node(*g);
                node.op == Op::Eq
                    && node.args().iter().any(|a| known.contains_key(a))
                    && node.args().iter().any(|a| terms.constant_value(*a).is_some())
            })
            .collect();
        let others: Vec<Term> = guards.iter().copied().filter(|g| !facts.contains(g)).collect();
        let mut all = others.clone();
        all.extend(changes.iter().map(|(_, t)| *t));
        let replaced = simplify_all(terms, &terms.substitute_all(&all, |s| known.get(&s).copied()));
        let before = (guards.clone(), changes.clone());
        guards = facts;
        guards.extend(replaced[..others.len()].iter().copied());
        guards.retain(|g| terms.node(*g).op != Op::Bool(true));
        for ((_, t), new) in changes.iter_mut().zip(&replaced[others.len()..]) {
            *t = *new;
        }
        if (guards.clone(), changes.clone()) == before {
            break;
        }
    }
    guards.sort_unstable();
    guards.dedup();
    Iteration { guards, changes }
}

fn register_name(offset: u32, size: u32) -> String {
    let general = GENERAL.iter().zip(GENERAL_NAMES).find(|(o, _)| (**o..**o + 8).contains(&offset));
    if let Some((o, name)) = general {
        let legacy = !name.ends_with(|c: char| c.is_ascii_digit());
        return match (offset - o, size) {
            (0, 8) => name.to_owned(),
            (0, 4) if legacy => format!("e{}", &name[1..]),
            (0, 4) => format!("{name}d"),
            (at, n) => format!("{name}_{at}_{n}"),
        };
    }
    if (VECTORS..VECTORS + 32 * 64).contains(&offset) {
        let n = (offset - VECTORS) / 64;
        return format!("zmm{n}_{}_{size}", (offset - VECTORS) % 64);
    }
    if (MASKS..MASKS + 64).contains(&offset) {
        return format!("k{}_{}_{size}", (offset - MASKS) / 8, (offset - MASKS) % 8);
    }
    match crate::cpu::FLAGS.iter().find(|(o, ..)| *o == offset) {
        Some((_, _, name)) => (*name).to_owned(),
        None => format!("reg_{offset:x}_{size}"),
    }
}

impl Cpu {
    /// The value of a cell now.
    pub fn cell(&mut self, place: CellPlace) -> Option<u128> {
        let (at, size) = place.loc();
        let bytes = values(self, &(0..size).map(|n| at.plus(n)).collect::<Vec<_>>()).ok()?;
        let mut whole = [0u8; 16];
        whole.get_mut(..bytes.len())?.copy_from_slice(&bytes);
        Some(u128::from_le_bytes(whole))
    }
}
