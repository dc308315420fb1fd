//! Other values for keys of a problem file, before it is read: `constraints.missed.at_most=0.05`.

use crate::nearest::nearest;
use crate::{ReadError, Source};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Why a key cannot be set.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AssignError {
    /// Not of the form path=value.
    #[error("\"{0}\" is not of the form path=value, such as constraints.missed.at_most=0.05")]
    Form(String),
    /// No such key in the file.
    #[error("{name} has no \"{path}\": {}", told(.place, .known, .meant))]
    Unknown {
        /// The file.
        name: String,
        /// What was asked for.
        path: String,
        /// Where the path leaves the file.
        place: String,
        /// What is there.
        known: Vec<String>,
        /// What was probably meant.
        meant: Option<String>,
    },
    /// The path ends at a table.
    #[error("\"{0}\" is a table; set one of its keys")]
    Table(String),
    /// The file is no TOML.
    #[error("{0}")]
    Toml(String),
    /// The file is no text.
    #[error(transparent)]
    Read(#[from] ReadError),
}

fn told(place: &str, known: &[String], meant: &Option<String>) -> String {
    let place = if place.is_empty() { "the file".to_owned() } else { format!("\"{place}\"") };
    match (meant, known) {
        (Some(meant), _) => format!("{place} has \"{meant}\"; is that what was meant?"),
        (None, []) => format!("{place} has no keys"),
        (None, known) => format!("{place} has {}", known.join(", ")),
    }
}

/// The file with other values, each given as `path=value`. Paths name keys of the file with dots between them; constraints and terms go by name or by
/// number, from 0 on. A value that is no TOML is a text.
///
/// ```
/// use ufcm_io::{Source, assigned};
///
/// let file = Source::from_bytes("p.toml", b"[domain]\nkind = \"ball\"\nradius = 10\n".to_vec())?;
/// let changed = assigned(&file, &["domain.radius=5".to_owned()]).unwrap();
/// assert_eq!(changed.text()?, "[domain]\nkind = \"ball\"\nradius = 5\n");
/// let error = assigned(&file, &["domain.radus=5".to_owned()]).unwrap_err();
/// assert!(error.to_string().contains("has \"radius\""));
/// # Ok::<(), ufcm_io::ReadError>(())
/// ```
///
/// # Errors
/// A path that is not in the file, with the nearest that is.
pub fn assigned(source: &Source, settings: &[String]) -> Result<Source, AssignError> {
    let mut text = source.text()?.to_owned();
    for setting in settings {
        let (path, value) = setting.split_once('=').ok_or_else(|| AssignError::Form(setting.clone()))?;
        let (path, value) = (path.trim(), value.trim());
        if path.is_empty() || value.is_empty() {
            return Err(AssignError::Form(setting.clone()));
        }
        let span = span_of(&text, source.name(), path)?;
        text.replace_range(span, &as_toml(value));
    }
    Ok(Source::from_bytes(source.name(), text.into_bytes())?)
}

/// A value as TOML: itself, or the text in quotes.
fn as_toml(value: &str) -> String {
    match DeTable::parse(&format!("value = {value}")) {
        Ok(table) if table.get_ref().len() == 1 => value.to_owned(),
        // `.5`, `5.` and `+.5` are numbers in a shell, though not in TOML.
        _ => match value.parse::<f64>() {
            Ok(number) if number.is_finite() => format!("{number:?}"),
            _ => quoted(value),
        },
    }
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// Where the value of a path stands.
fn span_of(text: &str, name: &str, path: &str) -> Result<Range<usize>, AssignError> {
    let table =
        DeTable::parse(text).map_err(|error| AssignError::Toml(format!("{name}: {}", error.message())))?;
    let (mut keys, mut place) = (Known::Table(table.get_ref()), String::new());
    let mut segments = path.split('.').peekable();
    while let Some(segment) = segments.next() {
        let Some(found) = keys.find(segment) else {
            let known = keys.names();
            let meant = nearest(segment, known.iter().map(String::as_str)).map(str::to_owned);
            return Err(AssignError::Unknown {
                name: name.to_owned(),
                path: path.to_owned(),
                place,
                known,
                meant,
            });
        };
        place = if place.is_empty() { segment.to_owned() } else { format!("{place}.{segment}") };
        match (found.get_ref(), segments.peek()) {
            (DeValue::Table(_), None) => return Err(AssignError::Table(place)),
            (DeValue::Array(items), None) if items.iter().any(|item| item.get_ref().is_table()) => {
                return Err(AssignError::Table(place));
            }
            (_, None) => return Ok(found.span()),
            (DeValue::Table(table), Some(_)) => keys = Known::Table(table),
            (DeValue::Array(items), Some(_)) => keys = Known::Items(items, segment),
            (_, Some(_)) => keys = Known::Items(&[], segment),
        }
    }
    Err(AssignError::Form(path.to_owned()))
}

/// What a segment of a path is looked for in.
enum Known<'a> {
    Table(&'a DeTable<'a>),
    /// The items of an array, and what the array is called.
    Items(&'a [Spanned<DeValue<'a>>], &'a str),
}

impl<'a> Known<'a> {
    fn find(&self, segment: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        match self {
            Self::Table(table) => {
                table.iter().find(|(key, _)| key.get_ref() == segment).map(|(_, value)| value)
            }
            Self::Items(items, array) => {
                let mut named = items.iter().enumerate();
                let named = named.find(|(k, item)| own_name(array, *k, item).as_deref() == Some(segment));
                named.map(|(_, item)| item).or_else(|| items.get(segment.parse::<usize>().ok()?))
            }
        }
    }

    fn names(&self) -> Vec<String> {
        match self {
            Self::Table(table) => table.keys().map(|key| key.get_ref().to_string()).collect(),
            Self::Items(items, array) => {
                let name = |(k, item)| own_name(array, k, item).unwrap_or(k.to_string());
                items.iter().enumerate().map(name).collect()
            }
        }
    }
}

/// The name under which a constraint or term is told: its own, that of what it bounds, or its number from 1 on.
fn own_name(array: &str, k: usize, item: &Spanned<DeValue<'_>>) -> Option<String> {
    let DeValue::Table(table) = item.get_ref() else { return None };
    let text = |key: &str| {
        let value = table.iter().find(|(own, _)| own.get_ref() == key).map(|(_, value)| value.get_ref());
        match value {
            Some(DeValue::String(text)) => Some(text.to_string()),
            _ => None,
        }
    };
    match array {
        "constraints" => {
            let known = ["name", "component", "affine", "of"].into_iter().find_map(text);
            known.or_else(|| Some(format!("constraint {}", k + 1)))
        }
        "terms" => text("name").or_else(|| Some(format!("term {}", k + 1))),
        _ => text("name"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "[[constraints]]\ncomponent = \"missed\"\nat_most = 0.03 # a comment\n\n\
                        [[constraints]]\nname = \"other\"\naffine = \"rows\"\nat_least = [1, 2]\n[domain]\nkind = \"ball\"\n";

    fn set(settings: &[&str]) -> Result<String, String> {
        let source = Source::from_bytes("p.toml", FILE.into()).unwrap();
        let settings: Vec<String> = settings.iter().map(|setting| (*setting).to_owned()).collect();
        assigned(&source, &settings)
            .map(|file| file.text().unwrap().to_owned())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn keys_are_found_by_name_and_number_and_comments_stay() {
        let changed =
            set(&["constraints.missed.at_most=0.05", "constraints.1.at_least.0 = 7", "domain.kind=simplex"])
                .unwrap();
        assert!(changed.contains("at_most = 0.05 # a comment"), "{changed}");
        assert!(changed.contains("at_least = [7, 2]") && changed.contains("kind = \"simplex\""), "{changed}");
        // What stands in quotes in the shell is a text, too; a text with quotes in it stays one value.
        assert!(set(&["domain.kind=\"box\""]).unwrap().contains("kind = \"box\"\n"));
        let odd = set(&["domain.kind=a\"b\n[x]"]).unwrap();
        assert!(DeTable::parse(&odd).is_ok() && !odd.contains("\n[x]"), "{odd}");
    }

    /// What the answer calls a constraint or a term is what sets it, and numbers are written as in a shell.
    #[test]
    fn names_are_those_of_the_answer_and_numbers_those_of_a_shell() {
        let file = "[[terms]]\nkind = \"maximum\"\nof = [\"a\"]\nweight = 1\n[[constraints]]\nkind = \"maximum\"\nof = \"a\"\nat_most = 2\n\
                    [[constraints]]\ncomponent = [\"a\", \"b\"]\nat_most = 3\n";
        let source = Source::from_bytes("p.toml", file.into()).unwrap();
        let settings =
            ["terms.term 1.weight=.5", "constraints.a.at_most=-.25", "constraints.constraint 2.at_most=5."];
        let changed = assigned(&source, &settings.map(str::to_owned)).unwrap();
        let text = changed.text().unwrap();
        for line in ["weight = 0.5\n", "at_most = -0.25\n", "at_most = 5.0\n"] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }

    #[test]
    fn mistakes_are_told_with_what_is_there() {
        let mistakes = [
            ("constraints.mised.at_most=1", "has \"missed\"; is that what was meant?"),
            ("constraints.missed.at_least=1", "is that what was meant?"),
            ("constraints.5.at_most=1", "\"constraints\" has missed, other"),
            ("domain=1", "\"domain\" is a table"),
            ("constraints=1", "is a table"),
            ("domain.kind.x=1", "has no keys"),
            ("domain.kind", "not of the form path=value"),
            ("=3", "not of the form path=value"),
        ];
        for (setting, told) in mistakes {
            let error = set(&[setting]).unwrap_err();
            assert!(error.contains(told), "{setting}: {error}");
        }
    }
}
