//! The library: functions with a model, streams and their handles, the command line.

pub(in crate::translate) mod arguments;
pub(in crate::translate) mod call;
mod formats;
pub(in crate::translate) mod handles;
pub(in crate::translate) mod models;
mod returns;
pub(in crate::translate) mod streams;

use crate::translate::Context;
use crate::translate::memory::Memory;
use crate::translate::values::Values;
use streams::Streams;

/// What is kept of the library from piece to piece.
pub(in crate::translate) struct Library<'a, 'm> {
    cx: &'a Context<'m>,
    memory: &'a Memory<'a, 'm>,
    /// What calls do with streams.
    streams: Streams,
}

impl<'a, 'm> Library<'a, 'm> {
    pub(in crate::translate) fn new(
        cx: &'a Context<'m>,
        memory: &'a Memory<'a, 'm>,
        values: &mut Values<'_, '_>,
    ) -> Self {
        let mut library = Self { cx, memory, streams: Streams::find(cx, memory.points()) };
        library.make_streams(values);
        library
    }
}
