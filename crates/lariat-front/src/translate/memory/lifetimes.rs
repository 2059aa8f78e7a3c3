//! Which objects are one at a time, which are many, and which may be used when they are gone.

use crate::module::ValueId;
use crate::translate::flat::{Form, InstanceId, index};
use crate::translate::library::models::{is_handle, is_static};
use crate::translate::memory::layout::object_size;
use crate::translate::points::{ObjectId, ObjectKind, Points};
use crate::translate::{Context, debug};
use lariat_ir::fast::FastMap;
use std::collections::BTreeSet;

/// How objects live.
pub(super) struct Lifetimes {
    /// Storage of which a run may make many that matter at one time, or one after the other with pointers left over.
    pub many: BTreeSet<ObjectId>,
    /// Storage that may be used when they are gone.
    pub mortal: BTreeSet<ObjectId>,
    /// Those of which it is not known when they are gone.
    pub doubtful: BTreeSet<ObjectId>,
    /// Local objects of which one call may make several that all end with it.
    pub several: BTreeSet<ObjectId>,
    /// Storage that stand for several.
    pub summaries: BTreeSet<ObjectId>,
}

/// Which objects need an instance number, and which a flag.
///
/// A heap object that is made on a cycle is one of many. A local object is one at a time: it needs a flag only if a pointer to
/// it may be left when it is gone, and a number of its own only if, besides, it can be made again. Such a pointer is kept in
/// something that lives longer than the object: not in an object of a function that is called while it lives, and not
/// in one of the same function whose scope starts after, and so ends no later.
///
/// Where recursive calls are skipped, the objects that are made within a recursion and are not private to one call are summaries.
pub(super) fn lifetimes(cx: &Context<'_>, points: &Points) -> Lifetimes {
    let mut found = Lifetimes {
        many: BTreeSet::new(),
        mortal: BTreeSet::new(),
        doubtful: BTreeSet::new(),
        several: BTreeSet::new(),
        summaries: BTreeSet::new(),
    };
    let skips = cx.flat.form == Form::Skip;
    let shared = if skips { shared_locals(cx, points) } else { BTreeSet::new() };
    let statics = points.objects.iter().filter(|k| is_static(cx, **k).is_some()).count();
    let mut starts: FastMap<InstanceId, debug::Scopes> = FastMap::default();
    for (o, &kind) in points.objects.iter().enumerate() {
        let id = ObjectId(index(o));
        match kind {
            // What the library may write at any time.
            _ if points.kept.contains(&id) && !matches!(kind, ObjectKind::Outside | ObjectKind::Function(_)) => {
                found.summaries.insert(id);
            }
            // Two calls may give the same object of the library, or not: nothing is known of it but where there is one call.
            ObjectKind::Library(at, false)
                if is_static(cx, kind).is_some_and(|volatile| {
                    volatile || statics > 1 || cx.on_cycle(at) || cx.recursive(at.instance)
                }) =>
            {
                found.summaries.insert(id);
            }
            ObjectKind::Heap(at) if skips && cx.recursive(at.instance) => {
                found.summaries.insert(id);
            }
            // What a library hands out each time is another one, and nobody knows what is in it.
            ObjectKind::Library(at, false) if (cx.on_cycle(at) || cx.recursive(at.instance)) && is_handle(cx, at) => {
                found.summaries.insert(id);
            }
            ObjectKind::Stack(instance, _) if skips && cx.recursive(instance) && !shared.contains(&id) => {}
            ObjectKind::Stack(instance, _) if skips && cx.recursive(instance) && object_size(cx, kind).is_some() => {
                found.summaries.insert(id);
            }
            ObjectKind::Heap(at) if cx.on_cycle(at) => {
                found.many.insert(id);
            }
            ObjectKind::Stack(instance, value) => {
                let scopes = starts
                    .entry(instance)
                    .or_insert_with(|| debug::Scopes::new(cx.flat.module, cx.flat.function(instance)));
                let outlived = |holder: &ObjectId| match points.objects[holder.0 as usize] {
                    ObjectKind::Stack(other, v) => {
                        if other == instance {
                            // In a recursion the holder may be that of a later call.
                            !scopes.starts_after(v, value) || cx.recursive(instance)
                        } else {
                            !cx.flat.is_within(other, instance)
                        }
                    }
                    _ => true,
                };
                let kept = points.holders.get(&id).is_some_and(|all| all.iter().any(outlived));
                let returned = points.returns_object(instance, id);
                // Values that are in no variable: a phi keeps a pointer from round to round, and a parameter of a recursion
                // one of an outer call.
                let carried = points.carried.contains(&id)
                    || cx.recursive(instance)
                        && cx.flat.ids().any(|other| {
                            cx.recursive(other)
                                && (0..cx.flat.function(other).params.len())
                                    .any(|n| points.value(cx.flat.value(other, ValueId(index(n)))).0.contains_key(&id))
                        });
                let lasting = kept || returned || carried || points.escaped.contains(&id) || scopes.is_strayed(value);
                if !lasting {
                    continue;
                }
                // An object of the whole function `main` is there until the end.
                let whole = instance == InstanceId(0) && scopes.is_whole(value) && !cx.recursive(instance);
                if whole {
                    continue;
                }
                found.mortal.insert(id);
                if scopes.is_unmarked(value) {
                    found.doubtful.insert(id);
                }
                if cx.stack_on_cycle(instance, value) {
                    found.many.insert(id);
                    if scopes.is_several(value) {
                        found.several.insert(id);
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// The locals to which there may be a pointer in memory, or in another call than the one that made them.
fn shared_locals(cx: &Context<'_>, points: &Points) -> BTreeSet<ObjectId> {
    let mut shared: BTreeSet<ObjectId> = points.escaped.iter().chain(&points.carried).copied().collect();
    shared.extend(points.holders.iter().filter(|(_, holders)| !holders.is_empty()).map(|(o, _)| *o));
    for id in cx.flat.ids() {
        let function = cx.flat.function(id);
        for n in 0..function.value_count() {
            let value = ValueId(index(n));
            for o in points.value(cx.flat.value(id, value)).0.keys() {
                let ObjectKind::Stack(owner, made) = points.objects[o.0 as usize] else { continue };
                // A parameter has a pointer of the caller, unless it is the copy that the callee gets.
                if owner != id || n < function.params.len() && made != value || points.returns_object(id, *o) {
                    shared.insert(*o);
                }
            }
        }
    }
    shared
}
