//! Attempts to get something false accepted, each named after the trick. Beside most of them stands the true claim that
//! looks like it and is accepted, so that the rejection is not for another reason.

mod diverges;
mod systems;
mod terminates;
