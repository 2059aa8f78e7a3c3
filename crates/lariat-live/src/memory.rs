//! The target's memory as the emulator sees it: pages fetched on demand, written only here.

use crate::others::Others;
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
    backing: Backing,
}

/// Who can change what is behind a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Backing {
    /// The process alone: anonymous private memory, or a private page that it has copied.
    Own,
    /// A private page of a program or a library that nobody has copied: whoever writes the file writes it.
    Program,
    /// The same of another file.
    File,
    /// Others, now: each read may give another value.
    Others,
}

/// What belongs to a page in `/proc/PID/pagemap`: the page is in memory, is swapped out, belongs to a file or to shared memory.
const PRESENT: u64 = 1 << 63;
const SWAPPED: u64 = 1 << 62;
const OF_FILE: u64 = 1 << 61;

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
    source: Option<Rc<Source>>,
    /// Where the kernel writes by itself.
    kernel: Option<(u64, u64)>,
}

/// Where pages come from while the target is held.
pub(crate) struct Source {
    /// `/proc/PID/mem`.
    pub memory: File,
    /// `/proc/PID/pagemap`, where it can be read.
    pub pages: Option<File>,
    /// What others may write.
    pub others: Others,
}

impl Source {
    /// Whether the process has a copy of its own of a page of a private mapping.
    ///
    /// A page that is in memory and not of a file is anonymous, and so is one that is swapped out: pages of files and shared memory
    /// are not swapped by page tables. Anything else, an unreadable table included, counts as not copied.
    fn is_copied(&self, address: u64) -> bool {
        let mut entry = [0u8; 8];
        let Some(pages) = &self.pages else { return false };
        if pages.read_exact_at(&mut entry, address / PAGE * 8).is_err() {
            return false;
        }
        let entry = u64::from_le_bytes(entry);
        entry & (PRESENT | SWAPPED) != 0 && entry & OF_FILE == 0
    }

    /// Who can change a page.
    ///
    /// Anonymous private memory has one owner, and a private page that was copied is anonymous from then on. A private page
    /// that was not copied shows the file, as a shared mapping does: it is constant only while nobody writes the file.
    fn backing(&self, mapping: &Mapping, address: u64) -> Backing {
        if mapping.is_volatile() || mapping.access[1] && !self.others.writers.is_empty() {
            return Backing::Others;
        }
        if mapping.inode == 0 || self.is_copied(address) {
            return Backing::Own;
        }
        if self.others.may_write(mapping) {
            return Backing::Others;
        }
        if self.others.is_program(mapping) { Backing::Program } else { Backing::File }
    }
}

impl Memory {
    /// The memory of a target that is held.
    pub(crate) fn new(source: Source, mappings: Vec<Mapping>, kernel: Option<(u64, u64)>) -> Self {
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
        let source = self.source.as_ref().ok_or(Stop::NotFetched(address))?;
        let (writable, backing) = (mapping.access[1], source.backing(mapping, address));
        let mut bytes = [0u8; PAGE_SIZE];
        source.memory.read_exact_at(&mut bytes, address).map_err(|_| Stop::Fault(address))?;
        let bytes = Rc::new(bytes);
        self.originals.insert(number, bytes.clone());
        Ok(self.pages.entry(number).or_insert(Page { bytes, writable, backing }))
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
            volatile |= page.backing == Backing::Others;
            done += n;
        }
        if let Some((start, len)) = self.kernel {
            volatile |= address < start + len && address.wrapping_add(into.len() as u64) > start;
        }
        Ok(volatile)
    }

    /// Writes bytes, here only.
    pub(crate) fn write(&mut self, address: u64, from: &[u8]) -> Result<(), Stop> {
        // There the kernel learns of a restartable sequence, which it may leave at any time.
        if self.kernel.is_some_and(|(start, len)| address < start + len && address + from.len() as u64 > start) {
            return Err(Stop::Restartable);
        }
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
        // Code is taken for constant. What others may write is not: a run-time compiler may have the page mapped twice.
        if self.read(address, &mut bytes[..here])? {
            return Err(Stop::SharedCode(address));
        }
        self.code.insert(address / PAGE);
        let next = address + here as u64;
        if here < 15 && executable(self, next) && self.read(next, &mut bytes[here..]) == Ok(false) {
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
            let (writable, backing) =
                other.pages.get(number).map_or((false, Backing::Others), |p| (p.writable, p.backing));
            self.pages.entry(*number).or_insert(Page { bytes, writable, backing });
        }
    }

    /// The file whose contents a page shows, if it is no program's: nobody may write it.
    pub(crate) fn file_behind(&self, address: u64) -> Option<&str> {
        let page = self.pages.get(&(address / PAGE))?;
        (page.backing == Backing::File).then(|| self.mapping(address).map_or("", |m| m.name.as_str()))
    }

    /// The addresses of all pages that were read.
    pub(crate) fn pages(&self) -> impl Iterator<Item = u64> {
        self.pages.keys().map(|number| number * PAGE)
    }

    /// The same memory with nothing read yet.
    pub(crate) fn afresh(&self) -> Self {
        let (mappings, source, kernel) = (self.mappings.clone(), self.source.clone(), self.kernel);
        Self { mappings, source, kernel, ..Self::blank() }
    }
}
