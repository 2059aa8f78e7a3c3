//! Functions with some of their calls entered.
//!
//! What a callee gives back, or what it writes, decides many loops: `while ((c = next(s)) != 0)`, and every loop over an iterator in C++ and Rust. So a view may be made of the function in which small
//! callees stand in the place of their calls.
//!
//! **Why that is the same function.** A call is replaced if one function of the file is all that it may run, and that one has no entries but its own.
//!
//! - The parameters get the arguments, which are of their types or converted. A parameter that the callee does not assign, and a variable that it assigns once, from such a parameter, is the
//!   argument itself, where that is a variable, an address with an offset, or a number: the callee assigns no variable of its caller, so it stays the same until the callee returns.
//!   Before that one assignment the variable is not read, as nothing here reads a variable that has no value yet.
//! - The blocks of the callee follow. Each return gives the variable of the result its value and goes on behind the call.
//! - Each object has one variable for its address, as before. Those of globals are shared. A private local object of the callee is one of its own for each call that is entered, with any content at
//!   first; its address is used for accesses only, so it does not matter that it may be another one each time. Any other local object is elsewhere each time, and two of these may lie at the same
//!   address or not: its address is a number that nobody knows, a new one for each activation, and an object like any other that is not named.
//! - An exception may come out of the callee wherever it calls something or ends otherwise, at any depth. If the block of a call that is entered ends at places among which nobody chooses (an `invoke` is
//!   such an end), control may go on behind that call, with a result that nobody knows. So each step in there that may throw has ways to all such calls that it was entered through,
//!   and to its own next step.
//!
//! So each run of the function with the call as a step is one of the function with the blocks in its place. Where the callee is called again, by itself or further in, that is
//! a call as any other, and its objects are others.
//!
//! The loops keep their numbers, with the blocks that were entered within them; those of callees come behind. So a view of a loop here is about the loop of the function: it
//! is in it for ever, passing its header, if and only if it is so here. Whether the callee returns is no matter of the view, as it is not where the call is a step: [`cover`](super::cover) asks for it.

use super::effects::parameters;
use super::places::{Where, where_is};
use super::symbolic::{Env, now, now_cond, unknowns_of, vars_of};
use lariat_ir::function::{Access, Block, Call, End, Function, FunctionLoop, Functions, ObjectRef, Step, Target, Var};
use lariat_ir::neutral::{Expr, IntType};
use std::collections::{BTreeMap, BTreeSet};

/// So many calls are entered within one another.
const DEEPEST: usize = 6;
/// So many blocks a callee may have.
const LARGEST: usize = 40;
/// So many blocks are added in all.
const MOST: usize = 160;

/// A function with some of its calls entered. Nothing else makes one than this module.
#[derive(Clone, Debug)]
pub struct Entered {
    function: Function,
    /// Its number.
    of: usize,
    only: Option<OnlyCall>,
}

/// The only call of a function, which was entered.
#[derive(Clone, Debug)]
struct OnlyCall {
    callee: usize,
    /// The number that its first loop has here.
    first: usize,
    /// For variables that were made for those of the callee: which these are.
    vars: BTreeMap<usize, usize>,
}

impl Entered {
    /// The number of the function.
    pub fn of(&self) -> usize {
        self.of
    }
    /// The function with the blocks of its callees.
    pub fn function(&self) -> &Function {
        &self.function
    }
    /// The number that a loop of the callee has here whose only call was entered.
    pub fn loop_of_callee(&self, of: usize) -> Option<usize> {
        Some(self.only.as_ref()?.first + of)
    }
    /// The variable of that callee for which a variable was made here.
    pub fn var_of_callee(&self, var: usize) -> Option<usize> {
        self.only.as_ref()?.vars.get(&var).copied()
    }
    /// The callee and the loop of it that a loop is, where the callee's only call was entered.
    pub(super) fn in_callee(&self, of: usize, functions: &Functions) -> Option<(usize, usize)> {
        let only = self.only.as_ref()?;
        let l = of.checked_sub(only.first)?;
        (l < functions.list[only.callee].loops.len()).then_some((only.callee, l))
    }
}

/// A function with the calls in one of its loops entered, as far as their callees are small; nothing if there is none.
pub fn enter(functions: &Functions, f: usize, of: usize) -> Option<Entered> {
    let mut this = Maker::new(functions, f);
    let own = Context { within: vec![f], landings: Vec::new() };
    // The blocks that are still to be looked at.
    let mut work: Vec<(usize, Context)> = this.made.loops[of].body.iter().map(|b| (*b, own.clone())).collect();
    let mut any = false;
    while let Some((b, context)) = work.pop() {
        match this.call_in(b, &context) {
            Some((at, Some(g))) => {
                any = true;
                let more = this.enter(b, at, g, &context);
                let inside = more.context;
                work.extend(more.callee.map(|b| (b, inside.clone())));
                work.push((more.behind, context));
            }
            Some((at, None)) => {
                let behind = this.may_throw(b, at, &context);
                work.push((behind, context));
            }
            None => {}
        }
    }
    any.then_some(Entered { function: this.made, of: f, only: None })
}

/// The caller of a function that is called at one place only, with that call entered.
///
/// Each activation of the function is one that this call made, in an activation of the caller. So a run that stays in a loop of the function stays in the same loop here, having come to it from
/// the caller's entry: what the caller does before its call, and the arguments, are known. A caller may call itself, or be called by the function: then its activation is one of several.
pub fn enter_caller(functions: &Functions, callee: usize) -> Option<Entered> {
    let site = functions.only_call(callee)?;
    let mut this = Maker::new(functions, site.function);
    let context = Context { within: vec![site.function], landings: Vec::new() };
    let Step::Call(call) = &functions.list[site.function].blocks[site.block].steps[site.step] else { return None };
    if functions.list[site.function].strange.is_some() || this.callee(call, &context) != Some(callee) {
        return None;
    }
    let first = this.made.loops.len();
    let before = this.made.vars.len();
    let env = this.enter(site.block, site.step, callee, &context).env;
    let made = env.iter().filter_map(|(of, value)| match value {
        Expr::Var(var) if *var >= before => Some((*var, *of)),
        _ => None,
    });
    let only = OnlyCall { callee, first, vars: made.collect() };
    Some(Entered { function: this.made, of: site.function, only: Some(only) })
}

/// How control came to a block.
#[derive(Clone)]
struct Context {
    /// The functions that it was entered through.
    within: Vec<usize>,
    /// Where it may go on if something is thrown: these blocks lead behind calls that it was entered through.
    landings: Vec<usize>,
}

struct Maker<'a> {
    functions: &'a Functions,
    made: Function,
    /// The variables of addresses of objects.
    known: BTreeMap<ObjectRef, usize>,
    added: usize,
    address: IntType,
}

/// The blocks that came with a call.
struct More {
    callee: std::ops::Range<usize>,
    behind: usize,
    /// What the callee's variables are here.
    env: Env,
    /// How control comes to the callee's blocks.
    context: Context,
}

impl<'a> Maker<'a> {
    fn new(functions: &'a Functions, f: usize) -> Self {
        let made = functions.list[f].clone();
        let known = made.vars.iter().enumerate().filter_map(|(n, v)| Some((v.object?, n))).collect();
        Self { functions, made, known, added: 0, address: functions.address }
    }

    /// The first call of a block that can be entered, with its callee, or that may throw to where that matters.
    fn call_in(&self, b: usize, context: &Context) -> Option<(usize, Option<usize>)> {
        let steps = self.made.blocks[b].steps.iter().enumerate();
        steps.into_iter().find_map(|(at, step)| {
            let Step::Call(call) = step else { return None };
            let callee = self.callee(call, context);
            (callee.is_some() || !context.landings.is_empty()).then_some((at, callee))
        })
    }

    /// The function that a call runs, if it can be entered.
    fn callee(&self, call: &Call, context: &Context) -> Option<usize> {
        let [Target::Function(g)] = call.targets.as_slice() else { return None };
        let callee = &self.functions.list[*g];
        let fits = context.within.len() <= DEEPEST
            && callee.strange.is_none()
            && call.args.len() == callee.params
            && callee.blocks.len() <= LARGEST
            && self.added + callee.blocks.len() <= MOST
            && !context.within.contains(g);
        fits.then_some(*g)
    }

    /// Cuts a block behind one of its steps, and leaves the way to the rest to the caller. The rest is the block with the number that is given back.
    fn cut(&mut self, b: usize, at: usize) -> Block {
        let rest = self.made.blocks[b].steps.split_off(at + 1);
        let end = std::mem::replace(&mut self.made.blocks[b].end, End::Ub);
        Block { steps: rest, end }
    }

    /// Lets a step that stays lead to where exceptions may, too. Gives the block of what is behind it.
    fn may_throw(&mut self, b: usize, at: usize, context: &Context) -> usize {
        let rest = self.cut(b, at);
        let behind = self.made.blocks.len();
        self.made.blocks.push(rest);
        self.made.blocks[b].end = End::Choose([behind].into_iter().chain(context.landings.iter().copied()).collect());
        self.put_into_loops(b, behind..behind + 1);
        behind
    }

    fn enter(&mut self, b: usize, at: usize, g: usize, context: &Context) -> More {
        let callee = &self.functions.list[g];
        self.added += callee.blocks.len() + 1;
        let rest = self.cut(b, at);
        let Some(Step::Call(mut call)) = self.made.blocks[b].steps.pop() else { unreachable!("the step is a call") };
        for (value, _) in call.args.iter_mut().flatten() {
            *value = plain(&self.made.blocks[b].steps, value);
        }
        let same = same_as_arguments(callee, &call);
        let env = self.variables(callee, &same);
        let var = |v: usize| match &env[&v] {
            Expr::Var(v) => *v,
            _ => unreachable!("what is assigned is a variable"),
        };
        let first = self.made.blocks.len();
        let behind = first + callee.blocks.len();
        let landing = matches!(rest.end, End::Choose(_)).then_some(behind + 1);
        let landings: Vec<usize> = context.landings.iter().copied().chain(landing).collect();
        // Before the callee's blocks.
        self.made.blocks[b].end = End::Jump(first);
        for (p, arg) in call.args.into_iter().enumerate().filter(|(p, _)| !same.contains_key(p)) {
            let (to, ty) = (var(p), callee.vars[p].ty);
            let step = match arg {
                Some((value, from)) => Step::Assign { var: to, value: self.converted(value, from, ty) },
                None => Step::Fresh { var: to },
            };
            self.made.blocks[b].steps.push(step);
        }
        for (v, _) in callee.vars.iter().enumerate().filter(|(_, v)| matches!(v.object, Some(ObjectRef::Local(_)))) {
            let step = if self.made.vars[var(v)].object.is_some() {
                let at = Access { address: Expr::Var(var(v)), bytes: None, ty: None, by: None };
                Step::Store { at, value: None }
            } else {
                Step::Fresh { var: var(v) }
            };
            self.made.blocks[b].steps.push(step);
        }
        // In it.
        let forget = |steps: &mut Vec<Step>| steps.extend(call.result.map(|var| Step::Fresh { var }));
        for block in &callee.blocks {
            let assigns_own = |s: &&Step| s.assigns().is_none_or(|v| !same.contains_key(&v));
            let mut steps: Vec<Step> = block.steps.iter().filter(assigns_own).map(|s| renamed(&env, s, &var)).collect();
            let end = match &block.end {
                End::Return(value) => {
                    match (call.result, value) {
                        (Some(result), Some((value, from))) => {
                            let value = self.converted(now(&env, value), *from, self.made.vars[result].ty);
                            steps.push(Step::Assign { var: result, value });
                        }
                        _ => forget(&mut steps),
                    }
                    End::Jump(behind)
                }
                End::Choose(targets) => {
                    End::Choose(targets.iter().map(|t| first + t).chain(landings.iter().copied()).collect())
                }
                End::Gone if landings.is_empty() => End::Gone,
                End::Gone => End::Choose(landings.clone()),
                End::Ub => End::Ub,
                End::Jump(to) => End::Jump(first + to),
                End::Branch { cond, yes, no } => {
                    End::Branch { cond: now_cond(&env, cond), yes: first + yes, no: first + no }
                }
                End::Switch { value, ty, cases, default } => End::Switch {
                    value: now(&env, value),
                    ty: *ty,
                    cases: cases.iter().map(|(k, to)| (k.clone(), first + to)).collect(),
                    default: first + default,
                },
            };
            self.made.blocks.push(Block { steps, end });
        }
        // Behind it.
        self.made.blocks.push(rest);
        if landing.is_some() {
            let mut steps = Vec::new();
            forget(&mut steps);
            self.made.blocks.push(Block { steps, end: End::Jump(behind) });
        }
        let innermost = self.put_into_loops(b, first..self.made.blocks.len());
        let base = self.made.loops.len();
        for l in &callee.loops {
            self.made.loops.push(FunctionLoop {
                key: l.key.clone(),
                header: first + l.header,
                body: l.body.iter().map(|b| first + b).collect(),
                parent: l.parent.map(|p| base + p).or(innermost),
            });
        }
        let mut within = context.within.clone();
        within.push(g);
        More { callee: first..behind, behind, env, context: Context { within, landings } }
    }

    /// Makes variables for those of a callee that are not the same as arguments; says which.
    fn variables(&mut self, callee: &Function, same: &BTreeMap<usize, Expr>) -> Env {
        let locals = self.made.locals.len();
        self.made.locals.extend(callee.locals.iter().cloned());
        let mut env = Env::default();
        for (v, var) in callee.vars.iter().enumerate() {
            if let Some(value) = same.get(&v) {
                env.insert(v, value.clone());
                continue;
            }
            let object = match var.object {
                Some(ObjectRef::Local(n)) if callee.locals[n].private => Some(ObjectRef::Local(locals + n)),
                Some(ObjectRef::Local(_)) => None,
                other => other,
            };
            let shared = object.and_then(|o| self.known.get(&o).copied());
            let number = shared.unwrap_or_else(|| {
                // A reader of the function does not know it.
                let name =
                    if object.is_some() { var.name.clone() } else { format!("{} in {}", var.name, callee.shown) };
                self.made.vars.push(Var { name, named: false, object, ..var.clone() });
                self.made.vars.len() - 1
            });
            if let Some(o) = object {
                self.known.insert(o, number);
            }
            env.insert(v, Expr::Var(number));
        }
        env
    }

    /// A value as one of another type. An address is the number that its bits are without a sign.
    fn converted(&self, value: Expr, from: IntType, to: IntType) -> Expr {
        if from == to {
            return value;
        }
        if from == self.address || to == self.address {
            let bits = IntType::unsigned(self.address.width - 1);
            let cast = |from: IntType, to: IntType, e: Expr| if from == to { e } else { Expr::cast(from, to, e) };
            return cast(bits, to, cast(from, bits, value));
        }
        Expr::cast(from, to, value)
    }

    /// Puts blocks that came in the place of a part of one into the loops around it. Gives the innermost of these.
    fn put_into_loops(&mut self, b: usize, blocks: std::ops::Range<usize>) -> Option<usize> {
        let around = (0..self.made.loops.len()).filter(|l| self.made.loops[*l].body.binary_search(&b).is_ok());
        let around: Vec<usize> = around.collect();
        for &l in &around {
            // They have larger numbers than all that were there.
            self.made.loops[l].body.extend(blocks.clone());
        }
        around.into_iter().min_by_key(|l| self.made.loops[*l].body.len())
    }
}

/// The value of an expression behind some steps in terms of variables that these steps leave alone, if it has such terms: a copy is what it is a copy of.
fn plain(steps: &[Step], value: &Expr) -> Expr {
    let mut env = Env::default();
    for step in steps {
        let Some(var) = step.assigns() else { continue };
        let value = match step {
            Step::Assign { value, .. } => now(&env, value),
            // Something that is no other variable.
            _ => Expr::Unknown(var),
        };
        env.insert(var, value);
    }
    let first = now(&env, value);
    let (mut vars, mut unknowns) = (BTreeSet::new(), BTreeSet::new());
    vars_of(&first, &mut vars);
    unknowns_of(&first, &mut unknowns);
    let is_kept = unknowns.is_empty() && vars.iter().all(|v| !env.contains_key(v));
    if is_kept { first } else { value.clone() }
}

/// The variables of a callee that are the same as an argument of a call, as long as it is executed.
fn same_as_arguments(callee: &Function, call: &Call) -> BTreeMap<usize, Expr> {
    let is_simple = |e: &Expr| matches!(e, Expr::Var(_) | Expr::Const(..)) || matches!(where_is(e), Where::At(..));
    let parameters = parameters(callee);
    let of = |v: usize| {
        let p = parameters[v]?;
        let (value, ty) = call.args.get(p)?.as_ref()?;
        let is_same = *ty == callee.vars[p].ty && *ty == callee.vars[v].ty && callee.vars[v].object.is_none();
        (is_same && is_simple(value)).then(|| value.clone())
    };
    (0..callee.vars.len()).filter_map(|v| Some((v, of(v)?))).collect()
}

/// A step with other variables.
fn renamed(env: &Env, step: &Step, var: &impl Fn(usize) -> usize) -> Step {
    let access = |at: &Access| Access { address: now(env, &at.address), ..at.clone() };
    match step {
        Step::Assign { var: v, value } => Step::Assign { var: var(*v), value: now(env, value) },
        Step::Fresh { var: v } => Step::Fresh { var: var(*v) },
        Step::Require(c) => Step::Require(now_cond(env, c)),
        Step::Load { var: v, at } => Step::Load { var: var(*v), at: access(at) },
        Step::Store { at, value } => Step::Store { at: access(at), value: value.as_ref().map(|e| now(env, e)) },
        Step::Call(call) => Step::Call(Call {
            args: call.args.iter().map(|a| a.as_ref().map(|(e, ty)| (now(env, e), *ty))).collect(),
            result: call.result.map(var),
            ..call.clone()
        }),
    }
}
