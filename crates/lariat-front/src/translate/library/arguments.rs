//! The command line of a program: `argc`, `argv`, and the strings.
//!
//! They are inputs, but not every content of memory is a command line: the pointers up to `argv[argc]` are not null, that one is; the
//! strings lie apart from each other and from the vector, and each has an end. So a divergence proof chooses among short command
//! lines, which are written down here: the name and at most three more words, of fewer than eight bytes each. All else in that memory is up to
//! the environment: the name, what lies behind the end of a string, behind the vector, and every longer command line but for `argc`.
//!
//! Why that is right: a short command line is one that a user can give. And memory that is up to the environment holds every
//! command line, so that a termination proof is right for all of them.

use crate::module::ValueId;
use crate::translate::build::Builder;
use crate::translate::flat::InstanceId;
use crate::translate::library::Library;
use crate::translate::memory::access::{Access, Resolved};
use crate::translate::memory::layout::Layout;
use crate::translate::points::{ObjectKind, Offsets, Targets};
use crate::translate::state::State;
use crate::translate::values::Values;
use crate::translate::values::arith::{Num, Sym, and, cmp, constant, low_bit, not, operate, or, truth};
use dashu_int::IBig;
use lariat_ir::UnknownKind;
use lariat_ir::neutral::{BinaryOp, CmpOp, Cond, Goto, IntType, MemUpdate, Overflow};

/// The longest command line that is chosen has this many words, the name included.
const WORDS: u64 = 4;
/// How many bytes of a word are chosen, its end included.
const BYTES: u64 = 8;
/// Where the words lie: so far from the vector, and from each other.
const APART: u64 = 1 << 16;

impl Library<'_, '_> {
    /// Writes down a command line of so many words; whether the vector could be.
    fn write_command_line(&mut self, values: &mut Values<'_, '_>, state: &mut State, words: u64, bytes: u64) -> bool {
        let Some(base) = self.memory.vector_address() else { return false };
        let ty = self.memory.address();
        for word in 0..=words {
            let to = if word == words { IBig::ZERO } else { &base + IBig::from(APART * (word + 1)) };
            if !self.put_outside(values, state, &base + IBig::from(word * bytes), bytes, &Num::constant(to, ty)) {
                return false;
            }
        }
        let byte = IntType::unsigned(8);
        for word in 1..words {
            for at in 0..BYTES {
                let address = &base + IBig::from(APART * (word + 1) + at);
                let content = if at + 1 == BYTES {
                    Num::constant(0, byte)
                } else {
                    let name = format!("argv[{word}][{at}]");
                    let content = values.unknown(state, &name, byte, UnknownKind::Input, None);
                    values.note_argument(&content, name);
                    content
                };
                if !self.put_outside(values, state, address, 1, &content) {
                    // Nobody reads the strings.
                    return true;
                }
            }
        }
        true
    }

    fn put_outside(
        &mut self,
        values: &mut Values<'_, '_>,
        state: &mut State,
        address: IBig,
        bytes: u64,
        content: &Num,
    ) -> bool {
        let ty = self.memory.address();
        let Some(outside) = self.memory.known(ObjectKind::Outside) else { return false };
        let targets = Targets([(outside, Offsets::ANY)].into());
        let Ok(resolved) = self.memory.resolve(
            state,
            Access { pointer: &constant(address, ty), targets: &targets, size: bytes, align: 1, ty: None },
        ) else {
            return false;
        };
        is_there(&resolved) && self.memory.write(values, state, &resolved, bytes, content).is_ok()
    }
}

impl Builder<'_, '_> {
    /// The ways to start with a short command line; the state becomes one with any other.
    pub(in crate::translate) fn command_lines(&mut self, state: &mut State) -> Vec<State> {
        let value = |n: u32| self.cx.flat.value(InstanceId(0), ValueId(n));
        let (Some(Sym::Num(count)), Some(Sym::Num(vector))) =
            (state.env.get(&value(0)).cloned(), state.env.get(&value(1)).cloned())
        else {
            return Vec::new();
        };
        let Some(outside) = self.memory.known(ObjectKind::Outside) else { return Vec::new() };
        let object = self.memory.object(outside).clone();
        let (Layout::Region(region), Some(size)) = (&object.layout, self.memory.outside_size()) else {
            return Vec::new();
        };
        for f in self.memory.region(*region).fields.clone() {
            let unknown = self.values.mem_unknown(state, f.mem, UnknownKind::Environment);
            state.stores.insert(0, MemUpdate::Forget { mem: f.mem, unknown });
        }
        let ty = self.memory.address();
        let bytes = u64::from(ty.width / 8);
        let long = self.values.unknown(state, "long command line", IntType::unsigned(1), UnknownKind::Input, None);
        self.values.note_argument(&long, "argv[..]".to_owned());
        let (mut ways, mut short) = (Vec::new(), truth(false));
        let room = cmp(CmpOp::Ge, ty, state.var(size), constant(APART * (WORDS + 1), ty));
        let here = cmp(CmpOp::Eq, ty, vector.to(ty), constant(object.base.clone(), ty));
        let may = and(and(not(low_bit(&long)), room), here);
        for words in 1..=WORDS {
            let mut way = state.clone();
            let case = and(may.clone(), cmp(CmpOp::Eq, ty, count.to(ty), constant(words, ty)));
            if !self.library.write_command_line(&mut self.values, &mut way, words, bytes) {
                ways.clear();
                short = truth(false);
                break;
            }
            way.restrict(case.clone());
            short = or(short, case);
            ways.push(way);
        }
        let by = operate(BinaryOp::Mul, ty, Overflow::Undefined, count.to(ty), constant(bytes, ty));
        let last = operate(BinaryOp::Add, ty, Overflow::Undefined, vector.to(ty), by);
        let targets = self.memory.value(value(1)).clone();
        if let Ok(resolved) = self
            .memory
            .resolve(state, Access { pointer: &last, targets: &targets, size: bytes, align: bytes, ty: None })
            && is_there(&resolved)
        {
            // A vector that does not fit into its memory is none.
            let bad = and(not(short), not(resolved.valid.clone()));
            if bad != truth(false) {
                let mut none = state.clone();
                none.restrict(bad);
                self.control.end(&none, Goto::Stop);
            }
            let _ = self.memory.write(&mut self.values, state, &resolved, bytes, &Num::constant(0, ty));
        }
        ways
    }
}

/// Whether there is a place for an access.
fn is_there(resolved: &Resolved) -> bool {
    resolved.is_followed() && resolved.valid != Cond::Const(false)
}
