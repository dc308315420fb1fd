//! Choices that have names: settings files, the command and Python all spell them as `name` does.

/// What a choice of settings needs to be read and written by its name. The type has `ALL` and `name`; hyphens,
/// underscores and capitals make no difference where a name is read.
macro_rules! named {
    ($choice:ty, $what:literal) => {
        impl $choice {
            /// The choice of this name.
            ///
            /// # Errors
            /// There is none; the message lists those there are.
            pub fn from_name(word: &str) -> Result<Self, String> {
                let plain = |word: &str| word.to_lowercase().replace(['-', '_'], "");
                let found = Self::ALL.iter().copied().find(|choice| plain(choice.name()) == plain(word));
                found.ok_or_else(|| {
                    let names: Vec<&str> = Self::ALL.iter().map(|choice| choice.name()).collect();
                    format!("{} is {word:?}; it must be one of {}", $what, names.join(", "))
                })
            }
        }

        impl std::fmt::Display for $choice {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $choice {
            type Err = String;

            fn from_str(word: &str) -> Result<Self, String> {
                Self::from_name(word)
            }
        }

        impl From<$choice> for &'static str {
            fn from(choice: $choice) -> Self {
                choice.name()
            }
        }

        impl TryFrom<String> for $choice {
            type Error = String;

            fn try_from(word: String) -> Result<Self, String> {
                Self::from_name(&word)
            }
        }
    };
}

pub(crate) use named;
