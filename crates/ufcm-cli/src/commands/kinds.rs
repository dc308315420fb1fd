//! `ufcm kinds`: the catalogue.

use crate::console::{Console, say};
use crate::failure::{Exit, Failure, Outcome};
use ufcm::catalogue::{
    self, COMPONENT_FIELDS, Call, Field, FieldType, Kind, Preset, REGULARISER_FIELDS, Section,
};

/// Shows all kinds, or what there is to know of one.
pub(crate) fn kinds(name: Option<&str>, console: &mut Console) -> Outcome {
    let Some(name) = name else {
        overview(console);
        return Ok(Exit::Success);
    };
    let found: Vec<&Kind> = catalogue::kinds().filter(|kind| kind.is_called(name)).collect();
    if found.is_empty() {
        let names = catalogue::kinds().map(|kind| kind.name);
        let help = match ufcm_io::nearest(name, names) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => "`ufcm kinds` lists those there are".to_owned(),
        };
        return Err(Failure::new(format!("there is no kind \"{name}\"; {help}")));
    }
    // A name may be a kind of one section and an earlier name in another.
    for (k, kind) in found.into_iter().enumerate() {
        if k > 0 {
            say!(console);
        }
        describe(kind, console);
    }
    Ok(Exit::Success)
}

fn overview(console: &mut Console) {
    let width = catalogue::kinds().map(|kind| kind.name.len()).max().unwrap_or(0);
    for section in [Section::Component, Section::Composer, Section::Regulariser, Section::Domain] {
        say!(console, "{} ({})", section.title(), place(section));
        for kind in catalogue::kinds().filter(|kind| kind.section == section) {
            say!(console, "  {:<width$}  {}", kind.name, kind.formula);
        }
        say!(console);
    }
    say!(
        console,
        "`ufcm kinds NAME` shows the keys of one. In Python each is a function, such as ufcm.logistic(A, y)."
    );
}

/// Where a problem file has kinds of a section.
fn place(section: Section) -> &'static str {
    match section {
        Section::Component => "[components.NAME]",
        Section::Composer => "[[terms]]",
        Section::Regulariser => "[regulariser]",
        _ => "[domain]",
    }
}

fn describe(kind: &Kind, console: &mut Console) {
    say!(console, "{}, one of the {}: {}", kind.name, kind.section.title(), kind.formula);
    say!(console, "{}", kind.about);
    for alias in kind.aliases {
        say!(console, "also read as \"{}\": {}", alias.name, alias.note);
    }
    say!(console);
    let fields: Vec<&Field> = kind.fields.iter().chain(common(kind)).collect();
    let rows: Vec<[String; 3]> = fields.iter().map(|field| row(field)).collect();
    let widths = [0, 1].map(|k| rows.iter().map(|row| row[k].len()).max().unwrap_or(0));
    for [key, takes, about] in &rows {
        say!(console, "  {key:<0$}  {takes:<1$}  {about}", widths[0], widths[1]);
    }
    if !rows.is_empty() {
        say!(console);
    }
    say!(console, "In a problem file:");
    say!(console, "  {}", place(kind.section));
    say!(console, "  kind = \"{}\"", kind.name);
    if kind.section == Section::Composer {
        let affine =
            catalogue::composer(kind.name).map(|entry| entry.rows) == Some(catalogue::RowsTaken::Affine);
        say!(
            console,
            "  {}",
            if affine { "affine = \"BLOCK\"" } else { "of = [\"COMPONENT\", \"COMPONENT\"]" }
        );
    }
    for field in kind.fields.iter().filter(|field| !field.sample.is_empty()) {
        say!(console, "  {} = {}", field.name, field.sample);
    }
    say!(console, "In Python: ufcm.{}({})", kind.name, call(kind));
}

/// What every kind of the section takes besides, where it has no such field of its own.
fn common(kind: &Kind) -> impl Iterator<Item = &'static Field> {
    let all = match kind.section {
        Section::Component => COMPONENT_FIELDS,
        Section::Regulariser | Section::Domain => REGULARISER_FIELDS,
        _ => &[],
    };
    all.iter().filter(|field| kind.field(field.name).is_none())
}

/// The key, what it takes, and what else there is to say.
fn row(field: &Field) -> [String; 3] {
    let key = match field.symbol == field.name {
        true => field.name.to_owned(),
        false => format!("{} ({})", field.name, field.symbol),
    };
    let mut about = field.about.to_owned();
    if !field.bounds.is_empty() {
        about += &format!("; {}", field.bounds);
    }
    let preset = match field.preset {
        Preset::Required => String::new(),
        Preset::Absent(means) => format!("; without it {means}"),
        Preset::Number(number) => format!("; {number} without it"),
        Preset::Flag(flag) => format!("; {flag} without it"),
        Preset::Word(word) => format!("; \"{word}\" without it"),
    };
    let takes = match field.of {
        FieldType::Choice(words) => {
            words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" or ")
        }
        of => of.words().to_owned(),
    };
    [key, takes, about + &preset]
}

/// The parameters of the Python function.
fn call(kind: &Kind) -> String {
    let shown = |field: &Field| match field.preset {
        Preset::Required => field.symbol.to_owned(),
        Preset::Absent(_) => format!("{}=None", field.symbol),
        Preset::Number(number) => format!("{}={number}", field.symbol),
        Preset::Flag(flag) => format!("{}={}", field.symbol, if flag { "True" } else { "False" }),
        Preset::Word(word) => format!("{}=\"{word}\"", field.symbol),
    };
    let of = |call: Call| kind.fields.iter().filter(move |field| field.call == call).map(shown);
    let rows = (kind.section == Section::Composer).then(|| "rows".to_owned());
    let mut parts: Vec<String> = rows.into_iter().chain(of(Call::Positional)).collect();
    let keywords: Vec<String> = of(Call::Keyword).collect();
    if !keywords.is_empty() {
        parts.push("*".into());
        parts.extend(keywords);
    }
    parts.join(", ")
}
