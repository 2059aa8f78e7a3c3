//! Z3's C interface behind types that keep its rules: what is used is alive, and belongs to the context it is used with.
#![allow(
    unsafe_code,
    reason = "Z3 is a C library; this module is the whole of what the workspace does with raw pointers"
)]

mod float;
pub(crate) mod heap;

use crate::watchdog::Bell;
use dashu_int::IBig;
use lariat_ir::{ArrayValue, Format, Op, Scalar, Sort, Value};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_int, c_uint};
use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};
#[allow(clippy::wildcard_imports, reason = "a hundred names, each with Z3's prefix")]
use z3_sys::*;

/// An error of Z3, in its own words.
#[derive(Debug)]
pub(crate) struct Fault(pub String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Major, minor and patch number of the Z3 that runs, and the whole text.
pub(crate) fn version() -> ([u32; 3], String) {
    let mut parts: [c_uint; 4] = [0; 4];
    let [major, minor, build, revision] = &mut parts;
    // SAFETY: the function writes to four integers, which are ours; the text is static.
    let text = unsafe {
        Z3_get_version(major, minor, build, revision);
        text(Z3_get_full_version())
    };
    ([parts[0], parts[1], parts[2]], text)
}

/// SAFETY: `s` is null or a string that lives until the next call of Z3.
unsafe fn text(s: Z3_string) -> String {
    if s.is_null() {
        return String::new();
    }
    // SAFETY: by the condition above.
    unsafe { CStr::from_ptr(s) }.to_string_lossy().into_owned()
}

/// Ends the process at once. Other threads may be busy in Z3, or with taking contexts down: in an orderly end, that of the library would
/// come between.
pub(crate) fn leave(status: u8) -> ! {
    use std::io::Write;
    // Who cannot be written to any more does not read this either.
    let _ = std::io::stdout().flush();
    let _ = std::io::stderr().flush();
    // SAFETY: it does not return, and takes nothing but a number.
    unsafe { libc::_exit(status.into()) }
}

/// Owns the C context.
struct Owned(Z3_context);

/// Contexts that were made ahead and never asked.
struct Prepared {
    ready: Vec<Arc<Owned>>,
    /// How many are being made, or will be.
    coming: usize,
}

static PREPARED: Mutex<Prepared> = Mutex::new(Prepared { ready: Vec::new(), coming: 0 });
static ONE_MORE: Condvar = Condvar::new();

fn prepared() -> MutexGuard<'static, Prepared> {
    PREPARED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes contexts ahead, while the caller waits for something else.
pub(crate) fn prepare(count: usize) {
    let missing = {
        let mut all = prepared();
        let missing = count.saturating_sub(all.ready.len() + all.coming);
        all.coming += missing;
        missing
    };
    let make = move || {
        for _ in 0..missing {
            let made = Owned::new();
            let mut all = prepared();
            all.ready.extend(made);
            all.coming -= 1;
            // All: whoever finds none, and none coming, must not wait any longer.
            ONE_MORE.notify_all();
        }
    };
    if std::thread::Builder::new().name("contexts".into()).spawn(make).is_err() {
        // They are made when they are needed.
        prepared().coming -= missing;
        ONE_MORE.notify_all();
    }
}

// SAFETY: before it has a `Context`, nobody uses the pointer, and a `Context` uses it on its own thread only. Another thread reaches it through `Interrupt`, which calls
// `Z3_interrupt`, made for that, or as the last owner, when nobody else uses it any more.
unsafe impl Send for Owned {}
// SAFETY: as above.
unsafe impl Sync for Owned {}

impl Owned {
    /// A context that was made ahead, or a new one. They are all the same: which one a task gets is a matter of luck.
    fn take() -> Result<Arc<Self>, Fault> {
        let mut all = prepared();
        loop {
            match all.ready.pop() {
                Some(context) => return Ok(context),
                None if all.coming == 0 => break,
                None => all = ONE_MORE.wait(all).unwrap_or_else(PoisonError::into_inner),
            }
        }
        drop(all);
        Self::new()
    }

    fn new() -> Result<Arc<Self>, Fault> {
        static SETTINGS: Once = Once::new();
        // Tidying up each model takes a seventh of the time of a small query, and we read it only once. A check that takes
        // more memory than the watermark gives up: it must not take the process with it.
        // SAFETY: the strings are copied, and no context exists yet.
        SETTINGS.call_once(|| unsafe {
            Z3_global_param_set(c"model.compact".as_ptr(), c"false".as_ptr());
            let megabytes = MEMORY_MB.load(Ordering::Relaxed).to_string();
            let megabytes = CString::new(megabytes).expect("digits hold no zero byte");
            Z3_global_param_set(c"memory_high_watermark_mb".as_ptr(), megabytes.as_ptr());
        });
        heap::ready(heap::CONTEXT);
        let out_of_memory = || Fault("no context could be made".to_owned());
        // SAFETY: the configuration is used once and deleted; without a handler an error is a code that we look at.
        let context = unsafe {
            let config = Z3_mk_config().ok_or_else(out_of_memory)?;
            let context = Z3_mk_context_rc(config);
            Z3_del_config(config);
            let context = context.ok_or_else(out_of_memory)?;
            Z3_set_error_handler(context, None);
            context
        };
        let owned = Arc::new(Self(context));
        // What fails here fails again where somebody looks.
        let _ = warm_up(&Context::of(owned.clone()));
        Ok(owned)
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: every handle into the context holds its owner, so this is the last use.
        unsafe { Z3_del_context(self.0) }
    }
}

/// A context: what terms, solvers and models of Z3 live in. It stays on its thread.
pub(crate) struct Context {
    owned: Arc<Owned>,
    /// Sorts are asked for with every symbol and constant. Each is counted up once and lives as long as the context.
    sorts: RefCell<HashMap<Sort, Z3_sort>>,
    /// The sorts of floating-point numbers, which no term of ours has.
    float_sorts: RefCell<HashMap<Format, Z3_sort>>,
    /// What [`Context::limit`] set last.
    limits: Cell<(u32, u32)>,
    stays_on_its_thread: PhantomData<*const ()>,
}

/// Asks a new context something. The first question takes a millisecond or two more than the next ones, for theories are set up and code
/// is loaded; and contexts are often made while there is nothing else to do.
fn warm_up(context: &Rc<Context>) -> Result<(), Fault> {
    let (x, y) = (context.symbol(0, Sort::Int)?, context.symbol(1, Sort::Int)?);
    let above = context.apply(Op::IntAdd, &[&x, &context.constant(&Value::int(7))?])?;
    let mut solver = RawSolver::new(context, Kind::Simple)?;
    solver.push()?;
    for (a, b) in [(&x, &y), (&y, &above)] {
        solver.assert(&context.apply(Op::IntLt, &[a, b])?)?;
    }
    if solver.check()? == Verdict::Sat {
        solver.model()?.value(&x, Sort::Int)?;
    }
    Ok(())
}

/// Stops what a context does at the moment.
pub(crate) struct Interrupt(Arc<Owned>);

impl Bell for Interrupt {
    fn ring(&self) {
        // SAFETY: the context is alive, and this is the one call that any thread may make at any time.
        unsafe { Z3_interrupt(self.0.0) }
    }
}

type Unary = unsafe extern "C" fn(Z3_context, Z3_ast) -> Option<Z3_ast>;
type Binary = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast) -> Option<Z3_ast>;
type Nary = unsafe extern "C" fn(Z3_context, c_uint, *const Z3_ast) -> Option<Z3_ast>;

/// How many megabytes all of Z3 may use before a check gives up.
static MEMORY_MB: AtomicU32 = AtomicU32::new(2048);

/// Sets how many megabytes all of Z3 may use before a check gives up; before the first context is made.
pub(crate) fn limit_memory(megabytes: u32) {
    MEMORY_MB.store(megabytes, Ordering::Relaxed);
}

impl Context {
    pub fn new() -> Result<Rc<Self>, Fault> {
        Ok(Self::of(Owned::take()?))
    }

    fn of(owned: Arc<Owned>) -> Rc<Self> {
        Rc::new(Self {
            owned,
            sorts: RefCell::default(),
            float_sorts: RefCell::default(),
            limits: Cell::new((0, 0)),
            stays_on_its_thread: PhantomData,
        })
    }

    /// What stops this context from another thread.
    pub fn interrupt(&self) -> Arc<Interrupt> {
        Arc::new(Interrupt(self.owned.clone()))
    }

    fn raw(&self) -> Z3_context {
        self.owned.0
    }

    /// Limits every later check in this context; 0 is no limit.
    ///
    /// A solver has such parameters of its own, but setting them costs a tenth of a millisecond: it looks each up in a
    /// table that it makes for the purpose.
    pub fn limit(&self, rlimit: u32, milliseconds: u32) {
        if self.limits.replace((rlimit, milliseconds)) == (rlimit, milliseconds) {
            return;
        }
        for (name, number) in [(c"rlimit", rlimit), (c"timeout", milliseconds)] {
            // Z3 reads "no time limit" as the largest number.
            let number = if name == c"timeout" && number == 0 { u32::MAX } else { number };
            let number = CString::new(number.to_string()).expect("digits hold no zero byte");
            // SAFETY: the context is alive; the strings are copied.
            unsafe { Z3_update_param_value(self.raw(), name.as_ptr(), number.as_ptr()) }
        }
    }

    /// The error of the last call.
    fn fault(&self) -> Fault {
        // SAFETY: the context is alive, and the message is copied.
        unsafe {
            let code = Z3_get_error_code(self.raw());
            Fault(text(Z3_get_error_msg(self.raw(), code)))
        }
    }

    /// For calls that return nothing: whether the last one failed.
    fn ok(&self) -> Result<(), Fault> {
        // SAFETY: the context is alive.
        if unsafe { Z3_get_error_code(self.raw()) } == ErrorCode::Ok { Ok(()) } else { Err(self.fault()) }
    }

    fn own(self: &Rc<Self>, raw: Option<Z3_ast>) -> Result<Ast, Fault> {
        let raw = raw.ok_or_else(|| self.fault())?;
        // SAFETY: `raw` came from this context a moment ago and no call was made since.
        unsafe { Z3_inc_ref(self.raw(), raw) };
        Ok(Ast { context: self.clone(), raw })
    }

    fn sort(&self, sort: Sort) -> Result<Z3_sort, Fault> {
        if let Some(&s) = self.sorts.borrow().get(&sort) {
            return Ok(s);
        }
        let c = self.raw();
        let parts = match sort {
            Sort::Array(i, e) => Some((self.sort(i.into())?, self.sort(e.into())?)),
            _ => None,
        };
        // SAFETY: the context is alive, and so are the parts, which it keeps.
        let raw = unsafe {
            let raw = match (sort, parts) {
                (Sort::Bool, _) => Z3_mk_bool_sort(c),
                (Sort::Int, _) => Z3_mk_int_sort(c),
                (Sort::BitVec(w), _) => Z3_mk_bv_sort(c, w),
                (Sort::Array(..), parts) => parts.and_then(|(i, e)| Z3_mk_array_sort(c, i, e)),
            };
            let raw = raw.ok_or_else(|| self.fault())?;
            Z3_inc_ref(c, Z3_sort_to_ast(c, raw).ok_or_else(|| self.fault())?);
            raw
        };
        self.sorts.borrow_mut().insert(sort, raw);
        Ok(raw)
    }

    /// The symbol with this number. Numbers, because Z3 never forgets a name.
    pub fn symbol(self: &Rc<Self>, number: u32, sort: Sort) -> Result<Ast, Fault> {
        let sort = self.sort(sort)?;
        let number = c_int::try_from(number).map_err(|_| Fault("too many symbols".to_owned()))?;
        // SAFETY: the context and the sort are alive; a symbol needs no counting.
        let raw = unsafe {
            let name = Z3_mk_int_symbol(self.raw(), number).ok_or_else(|| self.fault())?;
            Z3_mk_const(self.raw(), name, sort)
        };
        self.own(raw)
    }

    /// A truth value, bit-vector or integer.
    pub fn constant(self: &Rc<Self>, value: &Value) -> Result<Ast, Fault> {
        let c = self.raw();
        let sort = self.sort(value.sort())?;
        let numeral = |digits: String| {
            let digits = CString::new(digits).expect("digits hold no zero byte");
            // SAFETY: the context and the sort are alive; the digits are copied.
            unsafe { Z3_mk_numeral(c, digits.as_ptr(), sort) }
        };
        let raw = match value {
            // SAFETY: the context is alive.
            Value::Bool(true) => unsafe { Z3_mk_true(c) },
            // SAFETY: the context is alive.
            Value::Bool(false) => unsafe { Z3_mk_false(c) },
            Value::Bv(b) => match u64::try_from(b.unsigned()) {
                // SAFETY: the context and the sort are alive.
                Ok(small) => unsafe { Z3_mk_unsigned_int64(c, small, sort) },
                Err(_) => numeral(b.unsigned().to_string()),
            },
            Value::Int(i) => match i64::try_from(i) {
                // SAFETY: the context and the sort are alive.
                Ok(small) => unsafe { Z3_mk_int64(c, small, sort) },
                Err(_) => numeral(i.to_string()),
            },
            Value::Array(_) => return Err(Fault("an array is no constant leaf".to_owned())),
        };
        self.own(raw)
    }

    fn unary(self: &Rc<Self>, make: Unary, a: &Ast) -> Result<Ast, Fault> {
        a.belongs_to(self);
        // SAFETY: the context is alive, the argument is alive and of this context; Z3 itself checks the sorts.
        self.own(unsafe { make(self.raw(), a.raw) })
    }

    fn binary(self: &Rc<Self>, make: Binary, [a, b]: [&Ast; 2]) -> Result<Ast, Fault> {
        a.belongs_to(self);
        b.belongs_to(self);
        // SAFETY: as in `unary`.
        self.own(unsafe { make(self.raw(), a.raw, b.raw) })
    }

    fn nary(self: &Rc<Self>, make: Nary, [a, b]: [&Ast; 2]) -> Result<Ast, Fault> {
        a.belongs_to(self);
        b.belongs_to(self);
        let args = [a.raw, b.raw];
        // SAFETY: as in `unary`; the array has two items and is read during the call.
        self.own(unsafe { make(self.raw(), 2, args.as_ptr()) })
    }

    fn ite(self: &Rc<Self>, [c, a, b]: [&Ast; 3]) -> Result<Ast, Fault> {
        for x in [c, a, b] {
            x.belongs_to(self);
        }
        // SAFETY: as in `unary`.
        self.own(unsafe { Z3_mk_ite(self.raw(), c.raw, a.raw, b.raw) })
    }

    /// An operation that is no leaf, as `lariat_ir::eval` defines it.
    pub fn apply(self: &Rc<Self>, op: Op, args: &[&Ast]) -> Result<Ast, Fault> {
        let c = self.raw();
        match (op, args) {
            (Op::Fill(index), [v]) => {
                v.belongs_to(self);
                let index = self.sort(index.into())?;
                // SAFETY: as in `unary`; the sort is alive.
                self.own(unsafe { Z3_mk_const_array(c, index, v.raw) })
            }
            (Op::Extract { hi, lo }, [a]) => {
                a.belongs_to(self);
                // SAFETY: as in `unary`.
                self.own(unsafe { Z3_mk_extract(c, hi, lo, a.raw) })
            }
            (Op::ZeroExtend(by), [a]) => {
                a.belongs_to(self);
                // SAFETY: as in `unary`.
                self.own(unsafe { Z3_mk_zero_ext(c, by, a.raw) })
            }
            (Op::SignExtend(by), [a]) => {
                a.belongs_to(self);
                // SAFETY: as in `unary`.
                self.own(unsafe { Z3_mk_sign_ext(c, by, a.raw) })
            }
            (Op::IntToBv(width), [a]) => {
                a.belongs_to(self);
                // SAFETY: as in `unary`.
                self.own(unsafe { Z3_mk_int2bv(c, width, a.raw) })
            }
            (Op::UbvToInt | Op::SbvToInt, [a]) => {
                a.belongs_to(self);
                // SAFETY: as in `unary`.
                self.own(unsafe { Z3_mk_bv2int(c, a.raw, op == Op::SbvToInt) })
            }
            (Op::Float(op), args) => self.float(op, args),
            (Op::Ite, [i, t, e]) => self.ite([i, t, e]),
            (Op::Store, [m, i, v]) => {
                for x in [m, i, v] {
                    x.belongs_to(self);
                }
                // SAFETY: as in `unary`.
                self.own(unsafe { Z3_mk_store(c, m.raw, i.raw, v.raw) })
            }
            // Z3 may choose what division by zero gives; `eval` does not.
            (Op::IntDiv | Op::IntMod, [a, b]) => {
                let zero = self.constant(&Value::Int(IBig::ZERO))?;
                let (make, at_zero): (Binary, &Ast) =
                    if op == Op::IntDiv { (Z3_mk_div, &zero) } else { (Z3_mk_mod, a) };
                let whole = self.binary(make, [a, b])?;
                // SAFETY: the context and the argument are alive.
                if unsafe { Z3_is_numeral_ast(c, b.raw) } && b.raw != zero.raw {
                    return Ok(whole);
                }
                let by_zero = self.binary(Z3_mk_eq, [b, &zero])?;
                self.ite([&by_zero, at_zero, &whole])
            }
            (_, [a]) => match unary(op) {
                Some(make) => self.unary(make, a),
                None => Err(Fault(format!("{op:?} takes no single argument"))),
            },
            (_, [a, b]) => match (binary(op), nary(op)) {
                (Some(make), _) => self.binary(make, [a, b]),
                (None, Some(make)) => self.nary(make, [a, b]),
                (None, None) => Err(Fault(format!("{op:?} takes no two arguments"))),
            },
            _ => Err(Fault(format!("{op:?} takes no {} arguments", args.len()))),
        }
    }
}

fn unary(op: Op) -> Option<Unary> {
    Some(match op {
        Op::Not => Z3_mk_not,
        Op::BvNot => Z3_mk_bvnot,
        Op::BvNeg => Z3_mk_bvneg,
        Op::IntNeg => Z3_mk_unary_minus,
        _ => return None,
    })
}

fn binary(op: Op) -> Option<Binary> {
    Some(match op {
        Op::Eq => Z3_mk_eq,
        Op::BvAnd => Z3_mk_bvand,
        Op::BvOr => Z3_mk_bvor,
        Op::BvXor => Z3_mk_bvxor,
        Op::BvAdd => Z3_mk_bvadd,
        Op::BvSub => Z3_mk_bvsub,
        Op::BvMul => Z3_mk_bvmul,
        Op::BvUdiv => Z3_mk_bvudiv,
        Op::BvUrem => Z3_mk_bvurem,
        Op::BvSdiv => Z3_mk_bvsdiv,
        Op::BvSrem => Z3_mk_bvsrem,
        Op::BvShl => Z3_mk_bvshl,
        Op::BvLshr => Z3_mk_bvlshr,
        Op::BvAshr => Z3_mk_bvashr,
        Op::BvUlt => Z3_mk_bvult,
        Op::BvUle => Z3_mk_bvule,
        Op::BvSlt => Z3_mk_bvslt,
        Op::BvSle => Z3_mk_bvsle,
        Op::Concat => Z3_mk_concat,
        Op::IntLt => Z3_mk_lt,
        Op::IntLe => Z3_mk_le,
        Op::Select => Z3_mk_select,
        _ => return None,
    })
}

fn nary(op: Op) -> Option<Nary> {
    Some(match op {
        Op::And => Z3_mk_and,
        Op::Or => Z3_mk_or,
        Op::IntAdd => Z3_mk_add,
        Op::IntSub => Z3_mk_sub,
        Op::IntMul => Z3_mk_mul,
        _ => return None,
    })
}

/// A term of Z3, counted.
pub(crate) struct Ast {
    context: Rc<Context>,
    raw: Z3_ast,
}

impl Ast {
    fn belongs_to(&self, context: &Rc<Context>) {
        assert!(Rc::ptr_eq(&self.context, context), "a term is used with its own context");
    }
}

impl Drop for Ast {
    fn drop(&mut self) {
        // SAFETY: counted up when it was made.
        unsafe { Z3_dec_ref(self.context.raw(), self.raw) }
    }
}

/// Which of Z3's solvers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// The incremental SMT core.
    Simple,
    /// Tactics chosen by what the assertions hold; the SMT core after a push.
    Tactics,
}

/// What `Z3_solver_check` said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    Sat,
    Unsat,
    Unknown(String),
}

/// A solver of Z3, counted.
pub(crate) struct RawSolver {
    context: Rc<Context>,
    raw: Z3_solver,
}

impl RawSolver {
    pub fn new(context: &Rc<Context>, kind: Kind) -> Result<Self, Fault> {
        let c = context.raw();
        // SAFETY: the context is alive; the solver is counted up before the next call.
        unsafe {
            let raw = match kind {
                Kind::Simple => Z3_mk_simple_solver(c),
                Kind::Tactics => Z3_mk_solver(c),
            };
            let raw = raw.ok_or_else(|| context.fault())?;
            Z3_solver_inc_ref(c, raw);
            Ok(Self { context: context.clone(), raw })
        }
    }

    /// Sets numbers by name; a limit of 0 is none.
    pub fn set(&mut self, numbers: &[(&CStr, u32)]) -> Result<(), Fault> {
        let c = self.context.raw();
        // SAFETY: the context and the solver are alive; the set is counted while it is used.
        unsafe {
            let set = Z3_mk_params(c).ok_or_else(|| self.context.fault())?;
            Z3_params_inc_ref(c, set);
            for (name, number) in numbers {
                if let Some(name) = Z3_mk_string_symbol(c, name.as_ptr()) {
                    Z3_params_set_uint(c, set, name, *number);
                }
            }
            Z3_solver_set_params(c, self.raw, set);
            let done = self.context.ok();
            Z3_params_dec_ref(c, set);
            done
        }
    }

    pub fn push(&mut self) -> Result<(), Fault> {
        // SAFETY: the context and the solver are alive.
        unsafe { Z3_solver_push(self.context.raw(), self.raw) };
        self.context.ok()
    }

    pub fn pop(&mut self, levels: u32) -> Result<(), Fault> {
        // SAFETY: the context and the solver are alive; Z3 checks the number.
        unsafe { Z3_solver_pop(self.context.raw(), self.raw, levels) };
        self.context.ok()
    }

    pub fn assert(&mut self, t: &Ast) -> Result<(), Fault> {
        t.belongs_to(&self.context);
        // SAFETY: the context, the solver and the term are alive; Z3 checks that the term is a truth value.
        unsafe { Z3_solver_assert(self.context.raw(), self.raw, t.raw) };
        self.context.ok()
    }

    pub fn check(&mut self) -> Result<Verdict, Fault> {
        let c = self.context.raw();
        // SAFETY: the context and the solver are alive; the reason is copied.
        unsafe {
            match Z3_solver_check(c, self.raw) {
                Z3_L_TRUE => Ok(Verdict::Sat),
                Z3_L_FALSE => Ok(Verdict::Unsat),
                _ => {
                    self.context.ok()?;
                    Ok(Verdict::Unknown(text(Z3_solver_get_reason_unknown(c, self.raw))))
                }
            }
        }
    }

    /// The model of the last check, which said `Sat`.
    pub fn model(&self) -> Result<RawModel, Fault> {
        let c = self.context.raw();
        // SAFETY: the context and the solver are alive; the model is counted up before the next call.
        unsafe {
            let raw = Z3_solver_get_model(c, self.raw).ok_or_else(|| self.context.fault())?;
            Z3_model_inc_ref(c, raw);
            Ok(RawModel { context: self.context.clone(), raw })
        }
    }
}

impl Drop for RawSolver {
    fn drop(&mut self) {
        // SAFETY: counted up when it was made.
        unsafe { Z3_solver_dec_ref(self.context.raw(), self.raw) }
    }
}

/// A model of Z3, counted.
pub(crate) struct RawModel {
    context: Rc<Context>,
    raw: Z3_model,
}

impl RawModel {
    /// The value of a symbol, or nothing if the model leaves it open.
    pub fn value(&self, symbol: &Ast, sort: Sort) -> Result<Option<Value>, Fault> {
        symbol.belongs_to(&self.context);
        let c = self.context.raw();
        // SAFETY: the context, the model and the symbol are alive. The declaration lives as long as the symbol.
        let interpretation = unsafe {
            let app = Z3_to_app(c, symbol.raw).ok_or_else(|| self.context.fault())?;
            let declaration = Z3_get_app_decl(c, app).ok_or_else(|| self.context.fault())?;
            Z3_model_get_const_interp(c, self.raw, declaration)
        };
        let Some(interpretation) = interpretation else { return Ok(None) };
        // Owned, because a model may give a term that it does not keep.
        let interpretation = self.context.own(Some(interpretation))?;
        // SAFETY: just owned, and of this context.
        unsafe { self.read(interpretation.raw, sort) }.map(Some)
    }

    /// SAFETY: `t` is alive and of this context.
    unsafe fn read(&self, t: Z3_ast, sort: Sort) -> Result<Value, Fault> {
        // SAFETY: by the condition above.
        unsafe {
            match sort {
                Sort::Array(index, element) => self.read_array(t, index, element),
                Sort::Bool => self.read_scalar(t, Scalar::Bool),
                Sort::Int => self.read_scalar(t, Scalar::Int),
                Sort::BitVec(w) => self.read_scalar(t, Scalar::BitVec(w)),
            }
        }
    }

    /// SAFETY: `t` is alive and of this context.
    unsafe fn read_scalar(&self, t: Z3_ast, sort: Scalar) -> Result<Value, Fault> {
        let c = self.context.raw();
        let unreadable = || Fault("a value of the model is no constant".to_owned());
        // SAFETY: `t` is alive by the condition above; the strings are copied; the integers are ours.
        unsafe {
            if sort == Scalar::Bool {
                return match Z3_get_bool_value(c, t) {
                    Z3_L_TRUE => Ok(Value::Bool(true)),
                    Z3_L_FALSE => Ok(Value::Bool(false)),
                    _ => Err(unreadable()),
                };
            }
            if !Z3_is_numeral_ast(c, t) {
                return Err(unreadable());
            }
            match sort {
                Scalar::BitVec(w) => {
                    let mut small = 0u64;
                    if Z3_get_numeral_uint64(c, t, &raw mut small) {
                        return Ok(Value::bv(w, small.into()));
                    }
                    let digits = text(Z3_get_numeral_string(c, t));
                    digits.parse().map(|bits| Value::bv(w, bits)).map_err(|_| unreadable())
                }
                _ => {
                    let mut small = 0i64;
                    if Z3_get_numeral_int64(c, t, &raw mut small) {
                        return Ok(Value::int(small));
                    }
                    let digits = text(Z3_get_numeral_string(c, t));
                    digits.parse::<IBig>().map(Value::Int).map_err(|_| unreadable())
                }
            }
        }
    }

    /// Stores over a constant array, or a function's table.
    ///
    /// SAFETY: `t` is alive and of this context; so is then all that it holds.
    unsafe fn read_array(&self, t: Z3_ast, index: Scalar, element: Scalar) -> Result<Value, Fault> {
        let c = self.context.raw();
        let fault = || self.context.fault();
        let mut stores = Vec::new();
        let mut at = t;
        // SAFETY: by the condition above; arguments live as long as what they are arguments of.
        let mut map = unsafe {
            loop {
                if Z3_is_as_array(c, at) {
                    break self.read_table(Z3_get_as_array_func_decl(c, at).ok_or_else(fault)?, index, element)?;
                }
                if !Z3_is_app(c, at) {
                    return Err(Fault("an array of the model is given by a formula".to_owned()));
                }
                let app = Z3_to_app(c, at).ok_or_else(fault)?;
                let name = Z3_get_decl_name(c, Z3_get_app_decl(c, app).ok_or_else(fault)?).ok_or_else(fault)?;
                let argument = |i| Z3_get_app_arg(c, app, i).ok_or_else(fault);
                match (text(Z3_get_symbol_string(c, name)).as_str(), Z3_get_app_num_args(c, app)) {
                    ("store", 3) => {
                        stores.push((self.read_scalar(argument(1)?, index)?, self.read_scalar(argument(2)?, element)?));
                        at = argument(0)?;
                    }
                    ("const", 1) => break ArrayValue::constant(index, self.read_scalar(argument(0)?, element)?),
                    (other, _) => return Err(Fault(format!("an array of the model is given by {other}"))),
                }
            }
        };
        for (i, v) in stores.into_iter().rev() {
            map.set(i, v);
        }
        Ok(Value::Array(Arc::new(map)))
    }

    /// SAFETY: `f` is alive and of this context.
    unsafe fn read_table(&self, f: Z3_func_decl, index: Scalar, element: Scalar) -> Result<ArrayValue, Fault> {
        let c = self.context.raw();
        let fault = || self.context.fault();
        // SAFETY: by the condition above; the table and its entries belong to the model, which is alive, and are counted
        // while they are read.
        unsafe {
            let table = Z3_model_get_func_interp(c, self.raw, f).ok_or_else(fault)?;
            Z3_func_interp_inc_ref(c, table);
            let read = (|| {
                let otherwise = Z3_func_interp_get_else(c, table).ok_or_else(fault)?;
                let mut map = ArrayValue::constant(index, self.read_scalar(otherwise, element)?);
                for i in 0..Z3_func_interp_get_num_entries(c, table) {
                    let entry = Z3_func_interp_get_entry(c, table, i).ok_or_else(fault)?;
                    Z3_func_entry_inc_ref(c, entry);
                    let cell = (|| {
                        let at = self.read_scalar(Z3_func_entry_get_arg(c, entry, 0).ok_or_else(fault)?, index)?;
                        let value = self.read_scalar(Z3_func_entry_get_value(c, entry).ok_or_else(fault)?, element)?;
                        Ok((at, value))
                    })();
                    Z3_func_entry_dec_ref(c, entry);
                    let (at, value) = cell?;
                    map.set(at, value);
                }
                Ok(map)
            })();
            Z3_func_interp_dec_ref(c, table);
            read
        }
    }
}

impl Drop for RawModel {
    fn drop(&mut self) {
        // SAFETY: counted up when it was made.
        unsafe { Z3_model_dec_ref(self.context.raw(), self.raw) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checks(context: &Rc<Context>) -> Verdict {
        let x = context.symbol(0, Sort::BitVec(8)).expect("a symbol");
        let three = context.constant(&Value::bv(8, 3)).expect("a constant");
        let product = context.apply(Op::BvMul, &[&x, &three]).expect("a product");
        let equal = context.apply(Op::Eq, &[&product, &three]).expect("an equation");
        let mut solver = RawSolver::new(context, Kind::Simple).expect("a solver");
        solver.assert(&equal).expect("it is a truth value");
        solver.check().expect("no fault")
    }

    #[test]
    fn more_tasks_than_contexts_that_are_coming_all_get_one() {
        prepare(2);
        let (sender, done) = std::sync::mpsc::channel();
        for _ in 0..6 {
            let sender = sender.clone();
            std::thread::spawn(move || {
                let context = Context::new().expect("a context");
                let _ = sender.send(checks(&context));
            });
        }
        for _ in 0..6 {
            let verdict = done.recv_timeout(std::time::Duration::from_mins(1));
            assert_eq!(verdict.expect("nobody waits for ever"), Verdict::Sat);
        }
    }

    #[test]
    fn an_interrupt_that_comes_too_late_is_harmless() {
        let context = Context::new().expect("a context");
        assert_eq!(checks(&context), Verdict::Sat);
        context.interrupt().ring();
        assert_eq!(checks(&context), Verdict::Sat);
    }

    #[test]
    fn an_error_is_a_value() {
        let context = Context::new().expect("a context");
        let x = context.symbol(0, Sort::BitVec(8)).expect("a symbol");
        let y = context.symbol(1, Sort::Int).expect("a symbol");
        assert!(!context.apply(Op::BvAdd, &[&x, &y]).err().expect("the sorts differ").0.is_empty());
        assert!(context.apply(Op::And, &[&x]).is_err());
        let mut solver = RawSolver::new(&context, Kind::Simple).expect("a solver");
        assert!(solver.assert(&x).is_err());
        assert!(solver.pop(3).is_err());
        assert_eq!(solver.check().expect("nothing was asserted"), Verdict::Sat);
        assert_eq!(checks(&context), Verdict::Sat);
    }
}
