//! What reports say of memory: which variables are none of the source's, what the cells of arrays are called there.

use crate::translate::debug;
use crate::translate::memory::Memory;
use crate::translate::memory::layout::{Field, Layout, Object, Size};
use crate::translate::points::ObjectKind;
use crate::translate::values::Values;
use dashu_int::IBig;
use lariat_ir::neutral::{Before, Cells, Extent};

impl Memory<'_, '_> {
    /// Writes down what the source calls things. (Of a whole program, the memory from before is its command line: `arguments`.)
    pub(in crate::translate) fn note_origins(&self, values: &mut Values<'_, '_>) {
        values.origins().files.clone_from(&self.cx.flat.module.files);
        for n in 0..self.layout.objects.len() {
            let object = &self.layout.objects[n];
            let made = self.is_made(object.kind);
            if object.many.is_none() && object.kind != ObjectKind::Outside {
                let extent = Extent { base: object.base.clone(), end: end_of(object), name: object.name.clone() };
                values.origins().objects.push(extent);
            }
            match &object.layout {
                Layout::Scalars(list) => {
                    if made {
                        values.origins().made.extend(list.iter().map(|s| s.var));
                    }
                    let pointers: Vec<usize> =
                        list.iter().filter(|s| self.is_pointer(object, s.offset)).map(|s| s.var).collect();
                    values.origins().pointers.extend(pointers);
                    if object.kind == ObjectKind::Outside && !self.cx.whole {
                        let scalars = list.iter().map(|s| (s.var, s.offset)).collect();
                        let before = self.before(object, Vec::new(), scalars);
                        values.origins().before = Some(before);
                    }
                }
                Layout::Region(r) => {
                    if object.kind == ObjectKind::Outside && !self.cx.whole {
                        let mems = self.layout.regions[*r].fields.iter().map(|f| f.mem).collect();
                        let before = self.before(object, mems, Vec::new());
                        values.origins().before = Some(before);
                    }
                    if !(made || object.kind == ObjectKind::Outside && self.cx.whole) {
                        let cells = self.cells(object, *r);
                        values.origins().cells.extend(cells);
                    }
                }
            }
        }
    }

    fn before(&self, object: &Object, mems: Vec<usize>, scalars: Vec<(usize, i64)>) -> Before {
        Before { base: object.base.clone(), size: self.layout.outside_size, mems, scalars }
    }

    /// Whether an object is the compiler's or the library's.
    fn is_made(&self, kind: ObjectKind) -> bool {
        match kind {
            ObjectKind::Stack(instance, value) => {
                // The compiler keeps the length of an array in a variable of its own.
                let declared = self.cx.flat.function(instance).declares.iter().find(|(v, _)| *v == value);
                declared.is_none_or(|(_, variable)| variable.name.starts_with("__vla_expr"))
            }
            ObjectKind::Global(g) => self.cx.flat.module.globals[g.0 as usize].variable.is_none(),
            ObjectKind::Function(_) | ObjectKind::Library(..) | ObjectKind::Absolute => true,
            ObjectKind::Heap(_) | ObjectKind::Outside => false,
        }
    }

    fn is_pointer(&self, object: &Object, offset: i64) -> bool {
        let offset = u64::try_from(offset).unwrap_or(0);
        object.ty.is_some_and(|t| debug::is_pointer(self.cx.flat.module, t, offset))
    }

    /// What the cells of an object in arrays are called.
    fn cells(&self, object: &Object, region: usize) -> Vec<Cells> {
        let region = &self.layout.regions[region];
        // The copies of an object that is made again and again have one name.
        if object.many.is_some() {
            return Vec::new();
        }
        let end = end_of(object);
        let one = |f: &Field| {
            let (base, end, first) = (object.base.clone(), end.clone(), f.first);
            let stride = if region.bytes { 1 } else { region.stride };
            let name = match object.kind {
                // All of it is one object, whatever the source calls its parts.
                ObjectKind::Outside => String::new(),
                _ if region.bytes => format!("bytes of {}[0]", object.name),
                _ => debug::field(self.cx, object, f.first, f.size, &[]).1,
            };
            let pointers = self.is_pointer(object, f.first);
            Cells { mem: f.mem, base, end, first, stride, name, pointers }
        };
        region.fields.iter().map(one).collect()
    }
}

/// The address behind an object.
fn end_of(object: &Object) -> Option<IBig> {
    match object.size {
        Size::Constant(n) => Some(&object.base + IBig::from(n)),
        Size::Var(_) | Size::Mem(_) => None,
    }
}
