//! The tables of kinds in `docs/problem-format.md` are the catalogue's.
//! `UFCM_BLESS=1 cargo test --workspace --test kinds_of_the_manual` writes them anew.

mod common;

use common::repository;
use std::fmt::Write;
use ufcm::catalogue::{self, Field, Kind, Preset, RowsTaken, Section};

/// A bar would end a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// A key, with what it must be or is without.
fn key(field: &Field) -> String {
    let symbol = if field.symbol == field.name { String::new() } else { format!(" ({})", field.symbol) };
    let words = match field.preset {
        Preset::Required if field.bounds.is_empty() => String::new(),
        Preset::Required => format!(": {}", field.bounds),
        Preset::Absent(means) => format!(" [{means}]"),
        Preset::Number(number) => format!(" [{number}]"),
        Preset::Flag(flag) => format!(" [{flag}]"),
        Preset::Word(word) => format!(" [\"{word}\"]"),
    };
    format!("`{}`{symbol}{words}", field.name)
}

fn table(section: Section) -> String {
    let rows_column = section == Section::Composer;
    let function = match section {
        Section::Component => "g(x)",
        Section::Composer => "h(z)",
        Section::Regulariser => "u(x)",
        _ => "X",
    };
    let mut table = match rows_column {
        true => format!("| `kind` | {function} | rows | keys |\n|---|---|---|---|\n"),
        false => format!("| `kind` | {function} | keys |\n|---|---|---|\n"),
    };
    for kind in catalogue::kinds().filter(|kind| kind.section == section) {
        let aliases: Vec<String> = kind.aliases.iter().map(|alias| format!("`{}`", alias.name)).collect();
        let aliases =
            if aliases.is_empty() { String::new() } else { format!(", before {}", aliases.join(", ")) };
        let keys: Vec<String> = kind.fields.iter().map(key).collect();
        let rows = if rows_column { format!(" {} |", rows_taken(kind)) } else { String::new() };
        let (formula, keys) = (cell(kind.formula), cell(&keys.join("; ")));
        writeln!(table, "| `{}`{aliases} | {formula} |{rows} {keys} |", kind.name).unwrap();
    }
    table
}

fn rows_taken(kind: &Kind) -> &'static str {
    match catalogue::composer(kind.name).unwrap().rows {
        RowsTaken::Any => "any",
        RowsTaken::Affine => "affine",
        RowsTaken::Components => "components",
    }
}

#[test]
fn the_tables_are_the_catalogues() {
    let path = repository().join("docs/problem-format.md");
    let mut manual = std::fs::read_to_string(&path).unwrap();
    for section in [Section::Component, Section::Composer, Section::Regulariser, Section::Domain] {
        let begin = format!("<!-- {} of the catalogue -->\n", section.title());
        let (before, rest) = manual.split_once(&begin).unwrap_or_else(|| panic!("{begin} is missing"));
        let (_, after) = rest.split_once("<!-- end -->\n").unwrap();
        manual = format!("{before}{begin}{}<!-- end -->\n{after}", table(section));
    }
    if std::env::var_os("UFCM_BLESS").is_some() {
        std::fs::write(&path, &manual).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    let hint = "UFCM_BLESS=1 cargo test --workspace --test kinds_of_the_manual writes the tables anew";
    assert!(kept == manual, "docs/problem-format.md is not the catalogue's; {hint}");
}
