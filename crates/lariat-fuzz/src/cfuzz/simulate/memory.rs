//! Memory of a run that is followed: objects at addresses of their own, byte by byte.
//!
//! Objects lie apart, so that an address that leaves one leads into no other. What is gone stays gone, unless the place may be used
//! again, as a machine does it: then new objects stand where old ones did.

use lariat_front::module::AccessedBy;
use lariat_ir::function::AccessType;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A type by which bytes were written, and how many.
pub(super) type Typed = Rc<(AccessType, u64)>;

/// The type that an access names.
pub(super) fn typed(by: &AccessedBy, bytes: u64) -> Option<Typed> {
    let member = by.member.as_ref().map(|m| (m.base.clone(), m.offset, m.inside.iter().cloned().collect()));
    (!by.path.is_empty()).then(|| Rc::new((AccessType { path: by.path.clone(), member }, bytes)))
}

struct Object {
    /// Nothing for a byte that nobody has written.
    bytes: Vec<Option<u8>>,
    /// The types by which they were written.
    types: Vec<Option<Typed>>,
    is_alive: bool,
    is_constant: bool,
}

/// Where new objects come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Area {
    Globals,
    Stack,
    Heap,
}

/// The room between two objects, at least.
const GAP: u64 = 64;

const HEAP: u64 = 0x5555_0000_0000;
const STACK: u64 = 0x7ff0_0000_0000;

pub(super) struct Memory {
    objects: BTreeMap<u64, Object>,
    globals: u64,
    pub(super) stack: u64,
    heap: u64,
    /// Places on the heap that were given back, by size; nothing if none is used again.
    freed: Option<BTreeMap<u64, Vec<u64>>>,
}

/// Why bytes cannot be accessed.
pub(super) type Refused = &'static str;

impl Memory {
    pub(super) fn new(reuses: bool) -> Self {
        Self {
            objects: BTreeMap::new(),
            globals: 0x60_0000,
            stack: STACK,
            heap: HEAP,
            freed: reuses.then(BTreeMap::new),
        }
    }

    /// Whether an address is one of the heap.
    pub(super) fn is_heap(address: u64) -> bool {
        (HEAP..STACK).contains(&address)
    }

    pub(super) fn reuses(&self) -> bool {
        self.freed.is_some()
    }

    /// A new object; gives its address.
    pub(super) fn allocate(&mut self, area: Area, size: u64, align: u64, is_constant: bool) -> u64 {
        if area == Area::Heap
            && let Some(at) = self.freed.as_mut().and_then(|f| f.get_mut(&size)?.pop())
        {
            self.insert(at, size, is_constant);
            return at;
        }
        let next = match area {
            Area::Globals => &mut self.globals,
            Area::Stack => &mut self.stack,
            Area::Heap => &mut self.heap,
        };
        let at = (*next + GAP).next_multiple_of(align.max(16));
        *next = at + size;
        self.insert(at, size, is_constant);
        at
    }

    /// An object at an address that the program knows.
    pub(super) fn insert(&mut self, at: u64, size: u64, is_constant: bool) {
        let n = usize::try_from(size).expect("objects are small");
        let object = Object { bytes: vec![None; n], types: vec![None; n], is_alive: true, is_constant };
        self.objects.insert(at, object);
    }

    /// Ends an object of the heap.
    pub(super) fn free(&mut self, at: u64) -> Result<(), Refused> {
        let object = self.objects.get_mut(&at).filter(|o| o.is_alive).ok_or("what is freed is no object")?;
        object.is_alive = false;
        let size = object.bytes.len() as u64;
        if let Some(freed) = &mut self.freed {
            freed.entry(size).or_default().push(at);
        }
        Ok(())
    }

    /// Ends an object of the stack, or begins it again without a value.
    pub(super) fn live(&mut self, at: u64, is_alive: bool) {
        if let Some(o) = self.objects.get_mut(&at) {
            o.is_alive = is_alive;
            o.bytes.fill(None);
            o.types.fill(None);
        }
    }

    /// Takes objects of the stack away for good.
    pub(super) fn remove(&mut self, objects: &[u64]) {
        for at in objects {
            self.objects.remove(at);
        }
    }

    /// The object that an address points into, or just behind.
    pub(super) fn object_of(&self, address: u64) -> Option<u64> {
        let (at, o) = self.objects.range(..=address).next_back()?;
        (address - at <= o.bytes.len() as u64).then_some(*at)
    }

    pub(super) fn size_of(&self, at: u64) -> Option<u64> {
        self.objects.get(&at).map(|o| o.bytes.len() as u64)
    }

    fn locate(&self, address: u64, bytes: u64) -> Result<(u64, usize), Refused> {
        let at = self.object_of(address).ok_or("an access to no object")?;
        let o = &self.objects[&at];
        if !o.is_alive {
            return Err("an access to an object that is gone");
        }
        if bytes > o.bytes.len() as u64 - (address - at) {
            return Err("an access behind an object");
        }
        Ok((at, usize::try_from(address - at).expect("objects are small")))
    }

    pub(super) fn read(&self, address: u64, bytes: u64) -> Result<&[Option<u8>], Refused> {
        let (at, from) = self.locate(address, bytes)?;
        Ok(&self.objects[&at].bytes[from..from + usize::try_from(bytes).expect("objects are small")])
    }

    /// Whether all bytes may be read by a type, by the rules of C.
    pub(super) fn agrees(&self, address: u64, bytes: u64, by: &AccessType) -> bool {
        let Ok((at, from)) = self.locate(address, bytes) else { return true };
        let types = &self.objects[&at].types[from..from + usize::try_from(bytes).expect("objects are small")];
        types.iter().flatten().all(|t| by.may_meet(Some(bytes), &t.0, Some(t.1)))
    }

    pub(super) fn types(&self, address: u64, bytes: u64) -> Result<&[Option<Typed>], Refused> {
        let (at, from) = self.locate(address, bytes)?;
        Ok(&self.objects[&at].types[from..from + usize::try_from(bytes).expect("objects are small")])
    }

    pub(super) fn write(
        &mut self,
        address: u64,
        bytes: &[Option<u8>],
        by: impl Fn(usize) -> Option<Typed>,
    ) -> Result<(), Refused> {
        let (at, from) = self.locate(address, bytes.len() as u64)?;
        let object = self.objects.get_mut(&at).expect("it was found");
        if object.is_constant && !bytes.is_empty() {
            return Err("a constant is written");
        }
        for (n, byte) in bytes.iter().enumerate() {
            object.bytes[from + n] = *byte;
            object.types[from + n] = by(n);
        }
        Ok(())
    }

    /// From now on nobody writes it.
    pub(super) fn seal(&mut self, at: u64) {
        if let Some(o) = self.objects.get_mut(&at) {
            o.is_constant = true;
        }
    }
}
