//! Memory in large pages.
//!
//! A context of Z3 begins with two tables of eight megabytes each, and fills them. In pages of four kilobytes, fresh from the system,
//! that is four thousand page faults: 9 ms, and 3 ms when they are given back, more than most programs take to decide. So
//! large blocks come out of the allocator's heaps, which keep what is freed for the next context (it then takes 0.5 ms), and the kernel is asked
//! for large pages there (3 ms for the first). All this is advice: where it is not taken, everything works as before.

/// What a context needs: its tables, and what the first questions take.
pub(super) const CONTEXT: usize = 20 << 20;

/// Readies the heap of this thread for blocks that need this many bytes together.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn ready(bytes: usize) {
    use std::sync::Once;
    /// The largest that the allocator takes: half of what one of its heaps can be.
    const LARGEST_BLOCK: u32 = 32 << 20;
    /// What stays with the allocator though it is free.
    const KEPT: std::ffi::c_int = 256 << 20;
    const PAGE: usize = 4096;

    static SETTINGS: Once = Once::new();
    // SAFETY: the allocator's parameters may be set at any time.
    SETTINGS.call_once(|| unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST_BLOCK.cast_signed());
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
    });
    let bytes = bytes.min(LARGEST_BLOCK as usize - PAGE);
    // SAFETY: the block is ours until it is freed, which is its last use. The advice changes no content, and is about whole pages that lie within the block.
    unsafe {
        let block = libc::malloc(bytes);
        if block.is_null() {
            return;
        }
        let skip = block.align_offset(PAGE);
        if skip < bytes {
            libc::madvise(block.byte_add(skip), (bytes - skip) / PAGE * PAGE, libc::MADV_HUGEPAGE);
        }
        libc::free(block);
    }
}

/// Readies the heap of this thread: other systems do as they like.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn ready(_bytes: usize) {}
