//! What the sources must look like as a whole: which folder may use which, and how long files and functions are.

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

/// Lines of a file, and of a function, beyond which it must say why: what is longer is rarely read.
const LINES_OF_A_FILE: usize = 400;
const LINES_OF_A_FUNCTION: usize = 60;

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

/// Whether a line begins a function: `fn` after what may stand before it.
fn begins_function(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_modifier = |word: &&str| {
        word.starts_with("pub") || matches!(*word, "const" | "async" | "unsafe" | "extern" | "in") || {
            // The rest of `pub(in crate::component)`, and the name of an ABI.
            word.ends_with(')') && !word.contains("fn") || word.starts_with('"')
        }
    };
    words.find(|word| !is_modifier(word)) == Some("fn")
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The functions of formatted code: the index of the first line of each, and how many lines it has. Its end is the first
/// closing brace below it that stands no further right.
fn functions(lines: &[&str]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (first, line) in lines.iter().enumerate().filter(|(_, line)| begins_function(line)) {
        let indent = indentation(line);
        let ends = |line: &&str| {
            let text = line.trim_start();
            indentation(line) <= indent && (text.starts_with('}') || text.ends_with(';'))
        };
        // A declaration without a body, or a body in the same line.
        if line.ends_with(';') || line.ends_with('}') {
            continue;
        }
        let rest = lines[first + 1..].iter().position(ends).unwrap_or(lines.len() - first - 2);
        found.push((first, rest + 2));
    }
    found
}

/// Whether the comments and attributes above a line hold these words.
fn is_explained(lines: &[&str], line: usize, words: &str) -> bool {
    let above = lines[..line].iter().rev().map(|line| line.trim_start());
    above.take_while(|line| line.starts_with("//") || line.starts_with("#[")).any(|line| line.contains(words))
}

/// What is too long in a file, and does not say why.
fn too_long(name: &str, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut complaints = Vec::new();
    let header = &lines[..lines.len().min(10)];
    let explained = header.iter().any(|line| line.contains("longer than 400 lines because"));
    if lines.len() > LINES_OF_A_FILE && !explained {
        complaints.push(format!("{name} has {} lines", lines.len()));
    }
    for (first, length) in functions(&lines) {
        if length > LINES_OF_A_FUNCTION && !is_explained(&lines, first, "longer than 60 lines because") {
            complaints.push(format!("{name}:{}: {} has {length} lines", first + 1, lines[first].trim()));
        }
    }
    complaints
}

#[test]
fn lengths_are_measured_as_they_are() {
    let body = "        work();\n".repeat(59);
    let short = format!("impl A {{\n    pub(in crate::a) fn short() {{\n{}    }}\n}}\n", &body[16..]);
    assert_eq!(too_long("a.rs", &short), [""; 0]);
    let long = format!(
        "trait A {{\n    fn none(&self);\n\n    const fn long(\n        x: f64,\n    ) {{\n{body}    }}\n}}\n"
    );
    assert_eq!(too_long("a.rs", &long), ["a.rs:4: const fn long( has 63 lines"]);
    let explained =
        long.replace("    const fn", "    // It is longer than 60 lines because it must be.\n    const fn");
    assert_eq!(too_long("a.rs", &explained), [""; 0]);
    let file = "use a;\n".repeat(401);
    assert_eq!(too_long("a.rs", &file), ["a.rs has 401 lines"]);
    assert_eq!(too_long("a.rs", &format!("//! It is longer than 400 lines because a.\n{file}")), [""; 0]);
}

#[test]
fn files_and_functions_are_short_or_say_why_not() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder of crates");
    let mut sources = Vec::new();
    for entry in fs::read_dir(crates).unwrap() {
        sources_below(&entry.unwrap().path().join("src"), &mut sources);
    }
    assert!(sources.len() > 200, "the sources of the crates were not found");
    let mut complaints = Vec::new();
    for path in sources {
        let name = path.strip_prefix(crates).unwrap().to_string_lossy().replace('\\', "/");
        complaints.extend(too_long(&name, &fs::read_to_string(&path).unwrap()));
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
