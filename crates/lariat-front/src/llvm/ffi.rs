//! The call into C++: see `shim/reader.cpp`.
#![expect(unsafe_code, reason = "LLVM is C++, and this is the one way in")]

use lariat_process::Limits;
use std::slice;
use std::time::Duration;

/// For who says nothing: enough for a gigabyte of bitcode.
const TIME: Duration = Duration::from_mins(2);

unsafe extern "C" {
    /// Reads a module in a process of its own, which has so many milliseconds and may take so many bytes, or any number if that
    /// is 0. The answer may be null; it has as many bytes as are written to `answer_length`.
    fn lariat_front_read(
        input: *const u8,
        length: usize,
        name: *const u8,
        name_length: usize,
        milliseconds: u64,
        memory: u64,
        answer_length: *mut usize,
    ) -> *mut u8;
    /// Releases an answer.
    fn lariat_front_free(answer: *mut u8);
}

/// The reader's answer, for [`decode::answer`](super::decode::answer); `None` if the system is out of something.
pub fn read(input: &[u8], name: &str, limits: Limits) -> Option<Vec<u8>> {
    let mut length = 0;
    let milliseconds = u64::try_from(limits.time.unwrap_or(TIME).as_millis()).unwrap_or(u64::MAX);
    let memory = limits.memory.unwrap_or(0);
    // SAFETY: each pointer is good for the length beside it, and the one for the length of the answer is a local's. The
    // function keeps none of them.
    let answer = unsafe {
        let (input, size, name, name_size) = (input.as_ptr(), input.len(), name.as_ptr(), name.len());
        lariat_front_read(input, size, name, name_size, milliseconds, memory, &raw mut length)
    };
    if answer.is_null() {
        return None;
    }
    // SAFETY: the answer is not null and has `length` bytes, which nobody else knows of.
    let copy = unsafe { slice::from_raw_parts(answer, length) }.to_vec();
    // SAFETY: it is the answer, and it is not used again.
    unsafe { lariat_front_free(answer) };
    Some(copy)
}
