//! Local variables by debug information: which of them is in which register or on the stack, at an address.

use crate::cpu::{GENERAL, GENERAL_NAMES};
use crate::observe::CellPlace;
use gimli::{
    AttributeValue, BaseAddresses, CfaRule, DebuggingInformationEntry, DwTag, EhFrame, EndianRcSlice, Operation,
    Reader, RunTimeEndian, Unit, UnwindContext, UnwindSection,
};
use object::{Object, ObjectSection};
use std::rc::Rc;

type Slice = EndianRcSlice<RunTimeEndian>;
type Entry = DebuggingInformationEntry<Slice>;

/// A variable of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub place: CellPlace,
}

/// The registers by DWARF's numbers.
const NUMBERED: [&str; 16] =
    ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];

fn general(number: u16) -> Option<usize> {
    let name = NUMBERED.get(usize::from(number))?;
    GENERAL_NAMES.iter().position(|n| n == name)
}

/// The variables that are visible at an address, which is as linked; `bias` is added to addresses of the file. Where the
/// information is missing or of a kind that is not read here there are fewer.
pub(crate) fn visible(file: &[u8], linked: u64, bias: u64, registers: &[u64; 16]) -> Vec<Variable> {
    let mut out = Vec::new();
    if let Ok(elf) = object::File::parse(file) {
        // What is torn is not there.
        let _ = collect(&elf, linked, bias, registers, &mut out);
    }
    out
}

fn section(elf: &object::File<'_>, name: &str) -> Slice {
    let data = elf.section_by_name(name).and_then(|s| s.uncompressed_data().ok()).unwrap_or_default();
    EndianRcSlice::new(Rc::from(&*data), RunTimeEndian::Little)
}

struct Scope<'a> {
    dwarf: &'a gimli::Dwarf<Slice>,
    unit: &'a Unit<Slice>,
    linked: u64,
    bias: u64,
    registers: &'a [u64; 16],
    /// What offsets to the frame are counted from.
    frame: Option<u64>,
}

fn collect(
    elf: &object::File<'_>,
    linked: u64,
    bias: u64,
    registers: &[u64; 16],
    out: &mut Vec<Variable>,
) -> gimli::Result<()> {
    let dwarf = gimli::Dwarf::load(|id| gimli::Result::Ok(section(elf, id.name())))?;
    let cfa = frame_address(elf, linked, registers);
    let mut units = dwarf.units();
    while let Some(header) = units.next()? {
        let unit = dwarf.unit(header)?;
        let mut scope = Scope { dwarf: &dwarf, unit: &unit, linked, bias, registers, frame: None };
        let mut inside = dwarf.unit_ranges(&unit)?;
        let mut contains = false;
        while let Some(r) = inside.next()? {
            contains |= (r.begin..r.end).contains(&linked);
        }
        if !contains {
            continue;
        }
        // Depth of the function whose variables are wanted, while the walk is inside it.
        let mut function: Option<isize> = None;
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            let depth = entry.depth();
            if function.is_some_and(|f| depth <= f) {
                function = None;
            }
            match entry.tag() {
                gimli::DW_TAG_subprogram if scope.covers(entry)? => {
                    function = Some(depth);
                    scope.frame = scope.frame_base(entry, cfa)?;
                }
                gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter if function.is_some() => {
                    if let Some(v) = scope.variable(entry)? {
                        out.push(v);
                    }
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// The address of the caller's frame, by the unwinding tables.
fn frame_address(elf: &object::File<'_>, linked: u64, registers: &[u64; 16]) -> Option<u64> {
    let name = ".eh_frame";
    let at = |name: &str| elf.section_by_name(name).map_or(0, |s| s.address());
    let frames = EhFrame::from(section(elf, name));
    let bases = BaseAddresses::default().set_eh_frame(at(name)).set_text(at(".text")).set_got(at(".got"));
    let mut context = UnwindContext::new();
    let row = frames.unwind_info_for_address(&bases, &mut context, linked, EhFrame::cie_from_offset).ok()?;
    match row.cfa() {
        CfaRule::RegisterAndOffset { register, offset } => {
            Some(registers[general(register.0)?].wrapping_add_signed(*offset))
        }
        CfaRule::Expression(_) => None,
    }
}

impl Scope<'_> {
    fn covers(&self, entry: &Entry) -> gimli::Result<bool> {
        let mut ranges = self.dwarf.die_ranges(self.unit, entry)?;
        while let Some(r) = ranges.next()? {
            if (r.begin..r.end).contains(&self.linked) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn frame_base(&self, entry: &Entry, cfa: Option<u64>) -> gimli::Result<Option<u64>> {
        let Some(AttributeValue::Exprloc(e)) = entry.attr_value(gimli::DW_AT_frame_base) else { return Ok(None) };
        let mut operations = e.operations(self.unit.encoding());
        Ok(match operations.next()? {
            Some(Operation::CallFrameCFA) => cfa,
            Some(Operation::Register { register }) => general(register.0).map(|n| self.registers[n]),
            _ => None,
        })
    }

    /// The entry that an inlined or out-of-line one repeats.
    fn origin(&self, entry: &Entry) -> Option<Entry> {
        let value =
            entry.attr_value(gimli::DW_AT_abstract_origin).or_else(|| entry.attr_value(gimli::DW_AT_specification))?;
        match value {
            AttributeValue::UnitRef(offset) => self.unit.entry(offset).ok(),
            _ => None,
        }
    }

    fn variable(&self, entry: &Entry) -> gimli::Result<Option<Variable>> {
        let expression = match entry.attr_value(gimli::DW_AT_location) {
            Some(AttributeValue::Exprloc(e)) => e,
            Some(value) => {
                let Some(mut list) = self.dwarf.attr_locations(self.unit, value)? else { return Ok(None) };
                let mut found = None;
                while let Some(l) = list.next()? {
                    if (l.range.begin..l.range.end).contains(&self.linked) {
                        found = Some(l.data);
                    }
                }
                let Some(e) = found else { return Ok(None) };
                e
            }
            None => return Ok(None),
        };
        let origin = self.origin(entry);
        let attribute = |name| entry.attr_value(name).or_else(|| origin.as_ref()?.attr_value(name));
        let Some(name) = attribute(gimli::DW_AT_name) else { return Ok(None) };
        let name = self.dwarf.attr_string(self.unit, name)?.to_string_lossy()?.into_owned();
        let size = attribute(gimli::DW_AT_type).and_then(|t| self.size(&t, 8)).unwrap_or(8);
        let mut operations = expression.operations(self.unit.encoding());
        let (first, second) = (operations.next()?, operations.next()?);
        // A value that is computed has no place.
        if second.is_some() {
            return Ok(None);
        }
        let memory = |address: u64| Some(CellPlace::Memory(address, size));
        let place = match first {
            Some(Operation::FrameOffset { offset }) => self.frame.and_then(|f| memory(f.wrapping_add_signed(offset))),
            Some(Operation::RegisterOffset { register, offset, .. }) => {
                general(register.0).and_then(|n| memory(self.registers[n].wrapping_add_signed(offset)))
            }
            Some(Operation::Address { address }) => memory(address.wrapping_add(self.bias)),
            Some(Operation::Register { register }) => {
                general(register.0).map(|n| CellPlace::Register(GENERAL[n], size.min(8)))
            }
            _ => None,
        };
        Ok(place.map(|place| Variable { name, place }))
    }

    /// The size of a type in bytes, through names and qualifiers for it.
    fn size(&self, kind: &AttributeValue<Slice>, steps: u32) -> Option<u32> {
        let AttributeValue::UnitRef(offset) = *kind else { return None };
        let entry = self.unit.entry(offset).ok()?;
        if let Some(size) = entry.attr_value(gimli::DW_AT_byte_size).and_then(|v| v.udata_value()) {
            return u32::try_from(size).ok();
        }
        let through: [DwTag; 4] =
            [gimli::DW_TAG_typedef, gimli::DW_TAG_const_type, gimli::DW_TAG_volatile_type, gimli::DW_TAG_atomic_type];
        let inner = entry.attr_value(gimli::DW_AT_type)?;
        if steps > 0 && through.contains(&entry.tag()) {
            return self.size(&inner, steps - 1);
        }
        // An array: the size of an element times what its dimensions say.
        if entry.tag() == gimli::DW_TAG_array_type {
            let element = self.size(&inner, steps.checked_sub(1)?)?;
            let mut tree = self.unit.entries_tree(Some(offset)).ok()?;
            let mut children = tree.root().ok()?.children();
            let mut count = 1u32;
            while let Ok(Some(child)) = children.next() {
                let child = child.entry();
                let number = |name| child.attr_value(name).and_then(|v| v.udata_value());
                let n = number(gimli::DW_AT_count).or_else(|| number(gimli::DW_AT_upper_bound).map(|n| n + 1))?;
                count = count.checked_mul(u32::try_from(n).ok()?)?;
            }
            return element.checked_mul(count);
        }
        None
    }
}
