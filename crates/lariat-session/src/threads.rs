//! Threads with deep stacks: walks over programs call themselves.

/// The stack of a thread for work on programs: expressions are as deep as programs are long, and some walks over them call
/// themselves. It is address space, of which the system gives memory when it is used. Where address space is limited, less has to do.
const STACKS: [usize; 4] = [256 << 20, 64 << 20, 16 << 20, 4 << 20];

/// Starts a thread for work on programs.
pub fn deep_thread(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let work = std::sync::Arc::new(std::sync::Mutex::new(Some(work)));
    with_stack(|stack| {
        let work = std::sync::Arc::clone(&work);
        stack.spawn(move || {
            let work = work.lock().ok().and_then(|mut w| w.take());
            if let Some(work) = work {
                work();
            }
        })
    })
    .map(drop)
}

/// Starts a thread for work on programs that ends within a scope.
pub fn deep_thread_in<'scope, 'env, T: Send + 'scope>(
    scope: &'scope std::thread::Scope<'scope, 'env>,
    work: impl FnOnce() -> T + Send + Copy + 'scope,
) -> std::io::Result<std::thread::ScopedJoinHandle<'scope, T>> {
    with_stack(|stack| stack.spawn_scoped(scope, work))
}

/// Starts a thread with the largest stack that there is.
fn with_stack<T>(mut start: impl FnMut(std::thread::Builder) -> std::io::Result<T>) -> std::io::Result<T> {
    let mut started = Err(std::io::ErrorKind::OutOfMemory.into());
    // A stack that leaves no room for anything else would be of no use.
    let most = lariat_process::address_space_limit().map_or(u64::MAX, |limit| limit / 8);
    let (smallest, larger) = STACKS.split_last().expect("there is one");
    let fitting = larger.iter().filter(|s| **s as u64 <= most);
    for &size in fitting.chain([smallest]) {
        started = start(std::thread::Builder::new().stack_size(size));
        if started.is_ok() {
            break;
        }
    }
    started
}

/// What a panic said.
pub fn panic_words(panic: &(dyn std::any::Any + Send)) -> String {
    let words = panic.downcast_ref::<String>().cloned();
    words.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default()
}
