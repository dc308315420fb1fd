//! What the sources must look like as a whole: which folder may use which.

use std::fs;
use std::path::{Path, PathBuf};

/// What implements the traits of `oracle/`, or uses them. The traits know none of it.
const ABOVE_THE_ORACLES: [&str; 12] = [
    "audit",
    "certificate",
    "component",
    "composer",
    "mapping",
    "method",
    "metric",
    "problem",
    "regulariser",
    "solve",
    "subproblem",
    "theory",
];

fn sources_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            sources_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The text without its comments: documentation may link to anything.
fn code(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The modules of the crate that this code names: `a` and `b` in `crate::a::x` and `crate::{a, b::y}`.
fn modules_named(code: &str) -> Vec<String> {
    let mut named = Vec::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for (at, start) in code.match_indices("crate::") {
        let rest = &code[at + start.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            named.push(rest.chars().take_while(|c| is_word(*c)).collect());
            continue;
        };
        let (mut depth, mut word, mut first) = (0, String::new(), true);
        for c in group.chars() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    named.push(std::mem::take(&mut word));
                    first = true;
                }
                c if depth == 0 && first && is_word(c) => word.push(c),
                c if depth == 0 && !word.is_empty() && !is_word(c) => first = false,
                _ => {}
            }
        }
        named.push(word);
    }
    named
}

#[test]
fn modules_are_found_in_single_and_grouped_uses() {
    let code = "use crate::a::X;\nuse crate::{b::{Y, c}, d,\n e as f};\nlet x: &crate::g::Z;";
    assert_eq!(modules_named(code), ["a", "b", "d", "e", "g"]);
}

#[test]
fn oracles_know_nothing_of_what_implements_or_uses_them() {
    let mut sources = Vec::new();
    sources_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/oracle"), &mut sources);
    assert!(sources.len() > 5, "the sources of oracle/ were not found");
    for path in sources {
        let code = code(&fs::read_to_string(&path).unwrap());
        for module in modules_named(&code) {
            let above = ABOVE_THE_ORACLES.contains(&module.as_str());
            assert!(!above, "{} uses crate::{module}: a trait must not know its users", path.display());
        }
        assert!(!code.contains("super::super"), "{}: name modules from the crate's root", path.display());
    }
}
