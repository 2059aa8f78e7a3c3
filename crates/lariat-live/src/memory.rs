//! The target's memory as the emulator sees it: pages fetched on demand, written only here.

use crate::process::Mapping;
use crate::stop::Stop;
use lariat_ir::fast::{FastMap, FastSet};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::rc::Rc;

/// The size of a page.
const PAGE_SIZE: usize = 4096;
const PAGE: u64 = PAGE_SIZE as u64;

#[derive(Clone)]
struct Page {
    bytes: Rc<[u8; PAGE_SIZE]>,
    writable: bool,
    /// Reads may give another value each time.
    volatile: bool,
}

/// How far into its page an address is.
fn inside(address: u64) -> usize {
    (address % PAGE) as usize
}

/// Memory over a snapshot. A clone shares its pages until either writes.
#[derive(Clone)]
pub struct Memory {
    pages: FastMap<u64, Page>,
    /// The pages as they were when they were fetched.
    originals: FastMap<u64, Rc<[u8; PAGE_SIZE]>>,
    /// Pages with code that was executed.
    code: FastSet<u64>,
    mappings: Rc<Vec<Mapping>>,
    /// Nothing once the target runs again: what was not read by then must not be read.
    source: Option<Rc<File>>,
    /// Where the kernel writes by itself.
    kernel: Option<(u64, u64)>,
}

impl Memory {
    /// The memory behind a file, which is `/proc/PID/mem`.
    pub(crate) fn new(source: File, mappings: Vec<Mapping>, kernel: Option<(u64, u64)>) -> Self {
        let (pages, originals, code) = (FastMap::default(), FastMap::default(), FastSet::default());
        Self { pages, originals, code, mappings: Rc::new(mappings), source: Some(Rc::new(source)), kernel }
    }

    /// No memory.
    pub(crate) fn blank() -> Self {
        let (pages, originals, code) = (FastMap::default(), FastMap::default(), FastSet::default());
        Self { pages, originals, code, mappings: Rc::new(Vec::new()), source: None, kernel: None }
    }

    /// From now on only what was read before is there.
    pub fn seal(&mut self) {
        self.source = None;
    }

    /// The mapping of an address.
    pub fn mapping(&self, address: u64) -> Option<&Mapping> {
        let after = self.mappings.partition_point(|m| m.start <= address);
        self.mappings[..after].last().filter(|m| address < m.end)
    }

    fn fetch(&mut self, number: u64) -> Result<&mut Page, Stop> {
        let address = number * PAGE;
        let mapping = self.mapping(address).ok_or(Stop::Fault(address))?;
        if mapping.name.starts_with("[vvar") {
            return Err(Stop::Clock(address));
        }
        if !mapping.access[0] {
            return Err(Stop::Fault(address));
        }
        let (writable, volatile) = (mapping.access[1], mapping.is_volatile());
        let source = self.source.as_ref().ok_or(Stop::NotFetched(address))?;
        let mut bytes = [0u8; PAGE_SIZE];
        source.read_exact_at(&mut bytes, address).map_err(|_| Stop::Fault(address))?;
        let bytes = Rc::new(bytes);
        self.originals.insert(number, bytes.clone());
        Ok(self.pages.entry(number).or_insert(Page { bytes, writable, volatile }))
    }

    fn page(&mut self, number: u64) -> Result<&mut Page, Stop> {
        // Two look-ups instead of one, because the borrow checker cannot see that the first has ended.
        if self.pages.contains_key(&number) {
            return Ok(self.pages.get_mut(&number).expect("it was there a moment ago"));
        }
        self.fetch(number)
    }

    /// Reads bytes; says whether any of them may read differently the next time.
    pub(crate) fn read(&mut self, address: u64, into: &mut [u8]) -> Result<bool, Stop> {
        let mut volatile = false;
        let mut done = 0;
        while done < into.len() {
            let at = address.wrapping_add(done as u64);
            let page = self.page(at / PAGE)?;
            let from = inside(at);
            let n = (into.len() - done).min(PAGE_SIZE - from);
            into[done..done + n].copy_from_slice(&page.bytes[from..from + n]);
            volatile |= page.volatile;
            done += n;
        }
        if let Some((start, len)) = self.kernel {
            volatile |= address < start + len && address.wrapping_add(into.len() as u64) > start;
        }
        Ok(volatile)
    }

    /// Writes bytes, here only.
    pub(crate) fn write(&mut self, address: u64, from: &[u8]) -> Result<(), Stop> {
        let mut done = 0;
        while done < from.len() {
            let at = address.wrapping_add(done as u64);
            let number = at / PAGE;
            if !self.code.is_empty() && self.code.contains(&number) {
                return Err(Stop::SelfModifying(at));
            }
            let page = self.page(number)?;
            if !page.writable {
                return Err(Stop::Fault(at));
            }
            let to = inside(at);
            let n = (from.len() - done).min(PAGE_SIZE - to);
            Rc::make_mut(&mut page.bytes)[to..to + n].copy_from_slice(&from[done..done + n]);
            done += n;
        }
        Ok(())
    }

    /// Up to fifteen bytes of code. The pages must not be written from then on.
    pub(crate) fn code(&mut self, address: u64) -> Result<Vec<u8>, Stop> {
        let executable = |m: &Self, a: u64| m.mapping(a).is_some_and(|m| m.access[2]);
        if !executable(self, address) {
            return Err(Stop::Fault(address));
        }
        let mut bytes = vec![0u8; 15];
        let here = (PAGE_SIZE - inside(address)).min(15);
        self.read(address, &mut bytes[..here])?;
        self.code.insert(address / PAGE);
        let next = address + here as u64;
        if here < 15 && executable(self, next) && self.read(next, &mut bytes[here..]).is_ok() {
            self.code.insert(next / PAGE);
        } else {
            bytes.truncate(here);
        }
        Ok(bytes)
    }

    /// Takes over pages that another memory with the same start has fetched and this one has not. The other one must not
    /// have written them.
    pub(crate) fn take_over(&mut self, other: &Self) {
        for (number, page) in &other.originals {
            let bytes = page.clone();
            self.originals.entry(*number).or_insert_with(|| bytes.clone());
            let (writable, volatile) = other.pages.get(number).map_or((false, false), |p| (p.writable, p.volatile));
            self.pages.entry(*number).or_insert(Page { bytes, writable, volatile });
        }
    }

    /// The same memory with nothing read yet.
    pub(crate) fn afresh(&self) -> Self {
        let (mappings, source, kernel) = (self.mappings.clone(), self.source.clone(), self.kernel);
        Self { mappings, source, kernel, ..Self::blank() }
    }
}
