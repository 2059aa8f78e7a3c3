//! The call into C++: see `shim/reader.cpp`.
#![expect(unsafe_code, reason = "LLVM is C++, and this is the one way in")]

use std::slice;

unsafe extern "C" {
    /// Reads a module in a process of its own. The answer may be null; it has as many bytes as are written to
    /// `answer_length`.
    fn lariat_front_read(
        input: *const u8,
        length: usize,
        name: *const u8,
        name_length: usize,
        answer_length: *mut usize,
    ) -> *mut u8;
    /// Releases an answer.
    fn lariat_front_free(answer: *mut u8);
}

/// The reader's answer, for [`decode::answer`](super::decode::answer); `None` if the system is out of something.
pub fn read(input: &[u8], name: &str) -> Option<Vec<u8>> {
    let mut length = 0;
    // SAFETY: each pointer is good for the length beside it, and the one for the length of the answer is a local's. The
    // function keeps none of them.
    let answer = unsafe { lariat_front_read(input.as_ptr(), input.len(), name.as_ptr(), name.len(), &raw mut length) };
    if answer.is_null() {
        return None;
    }
    // SAFETY: the answer is not null and has `length` bytes, which nobody else knows of.
    let copy = unsafe { slice::from_raw_parts(answer, length) }.to_vec();
    // SAFETY: it is the answer, and it is not used again.
    unsafe { lariat_front_free(answer) };
    Some(copy)
}
