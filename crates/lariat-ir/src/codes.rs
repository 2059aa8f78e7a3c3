//! Things that reports name have codes: stable, short, and each with a section of `docs/codes.md`, which `lariat explain CODE` prints.

/// An enum whose variants have a code and a title each. `ALL` has every variant, so that a test can walk over them.
#[macro_export]
macro_rules! codes {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $variant:ident = $code:literal, $title:literal;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        $vis enum $name {
            $(#[doc = $title] $(#[$doc])* $variant,)*
        }

        impl $name {
            /// Every variant.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
            /// Its code, which stays the same in all releases.
            pub const fn code(self) -> &'static str {
                match self {
                    $(Self::$variant => $code,)*
                }
            }
            /// What it is, in a few words: the title of its section.
            pub const fn title(self) -> &'static str {
                match self {
                    $(Self::$variant => $title,)*
                }
            }
        }
    };
}
