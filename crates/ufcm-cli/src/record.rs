//! All there is to tell of a run: summaries and reports are written from this.

use crate::answer::Answer;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use ufcm::problem::Problem;
use ufcm::report::Report;
use ufcm::settings::Settings;
use ufcm::summary::{Multiplier, RowGroup};
use ufcm_io::Sense;
use ufcm_io::problem_file::{NamedLoss, Prepared};

/// A run: what was asked, how, and what came of it.
pub(crate) struct RunRecord {
    pub(crate) description: Description,
    pub(crate) settings: Settings,
    pub(crate) report: Report,
    pub(crate) notes: Vec<String>,
    /// What was done to the data before, in sentences.
    pub(crate) prepared: Vec<String>,
    /// The data files.
    pub(crate) files: Vec<PathBuf>,
    /// How the columns of a table became the variables, if they did.
    pub(crate) variables: Option<Prepared>,
    /// Losses that no row of the problem stands for.
    pub(crate) losses: Vec<NamedLoss>,
    /// When and by which command; tests have none.
    pub(crate) made: Option<Made>,
    /// The answer by names; `None` where there is no point to speak of.
    pub(crate) answer: Option<Answer>,
}

/// When a run was made, and by which command.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Made {
    pub(crate) date: String,
    pub(crate) command: String,
}

impl Made {
    /// Now, by this command line.
    pub(crate) fn now() -> Self {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let words = std::env::args_os().enumerate().map(|(k, word)| {
            let word = word.to_string_lossy().into_owned();
            match k {
                0 => Path::new(&word)
                    .file_name()
                    .map_or(word.clone(), |name| name.to_string_lossy().into_owned()),
                _ if word.contains([' ', '"', '\'', '$']) => format!("'{}'", word.replace('\'', "'\\''")),
                _ => word,
            }
        });
        let command = words.collect::<Vec<_>>().join(" ");
        Self { date: date(since.as_secs()), command }
    }
}

/// `2026-11-17 23:05 UTC`, from seconds since 1970.
fn date(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let is_leap =
        |year: u64| (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400);
    let (mut year, mut left) = (1970, days);
    while left >= 365 + u64::from(is_leap(year)) {
        left -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while month < 11 && left >= lengths[month] {
        left -= lengths[month];
        month += 1;
    }
    let (hours, minutes) = (rest / 3600, rest % 3600 / 60);
    format!("{year}-{:02}-{:02} {hours:02}:{minutes:02} UTC", month + 1, left + 1)
}

/// A problem in words and sizes.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Description {
    /// The problem's name.
    pub(crate) name: String,
    /// The file it came from.
    pub(crate) file: String,
    /// The number of variables.
    pub(crate) variables: usize,
    /// Their names, where they have any.
    pub(crate) variable_names: Option<Vec<String>>,
    /// The number of rows, that of the objective included.
    pub(crate) rows: usize,
    /// The objective, terms and constraints.
    pub(crate) blocks: Vec<Block>,
    /// u with X, in words.
    pub(crate) regulariser: &'static str,
    /// Whether it was stated as a maximisation; what is solved is then minus its objective.
    #[serde(serialize_with = "sense")]
    pub(crate) sense: Sense,
    /// Under which names multipliers are told.
    #[serde(skip)]
    pub(crate) multipliers: Vec<RowGroup>,
    /// The rows that stand for one component each of a term of several, with the component's name.
    #[serde(skip)]
    pub(crate) component_names: BTreeMap<usize, String>,
    /// What rows of programs are called in their file, by the names that the problem has for them.
    #[serde(skip)]
    pub(crate) file_names: BTreeMap<String, String>,
}

/// The objective, a term or a constraint.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Block {
    pub(crate) name: String,
    /// The composer, in words.
    pub(crate) composer: &'static str,
    /// What stands in its first row, in words.
    pub(crate) component: &'static str,
    pub(crate) rows: usize,
    pub(crate) constraint: bool,
}

impl std::fmt::Display for Block {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { composer, component, rows, constraint, .. } = self;
        match (constraint, rows) {
            (true, 1) => write!(f, "constraint on {component}, {composer}"),
            (true, _) => write!(f, "constraints on {component} of {rows} rows, {composer}"),
            (false, 1) => write!(f, "{component}"),
            (false, _) => write!(f, "{composer} of {component}, {rows} rows"),
        }
    }
}

impl Description {
    pub(crate) fn new(
        name: String,
        file: &Path,
        problem: &Problem,
        variable_names: Option<Vec<String>>,
        multipliers: Option<Vec<RowGroup>>,
    ) -> Self {
        let composers: BTreeMap<usize, _> =
            problem.parts().map(|(rows, composer)| (rows.start, composer)).collect();
        let block = |rows: &Range<usize>| Block {
            name: block_name(problem, rows),
            composer: composers.get(&rows.start).map_or("sum", |composer| composer.kind()),
            component: problem.component(rows.start).map_or("affine block", |component| component.kind()),
            rows: rows.len(),
            constraint: composers.get(&rows.start).is_some_and(|composer| composer.is_constraint()),
        };
        let group =
            |rows: &Range<usize>| RowGroup { name: block_name(problem, rows), rows: rows.clone(), sign: 1.0 };
        Self {
            name,
            file: file.display().to_string(),
            variables: problem.dimension(),
            variable_names,
            rows: problem.rows(),
            blocks: problem.blocks().iter().map(block).collect(),
            regulariser: problem.regulariser().kind(),
            sense: Sense::Minimise,
            component_names: BTreeMap::new(),
            file_names: BTreeMap::new(),
            multipliers: multipliers.unwrap_or_else(|| problem.blocks().iter().skip(1).map(group).collect()),
        }
    }
}

impl Description {
    /// With the names of the components behind rows.
    pub(crate) fn with_component_names(self, component_names: BTreeMap<usize, String>) -> Self {
        Self { component_names, ..self }
    }

    /// A sentence about rows with the names that these have in the file: `inequalities[0]` stands in none.
    pub(crate) fn in_file_names(&self, sentence: &str) -> String {
        if self.file_names.is_empty() {
            return sentence.to_owned();
        }
        let (mut told, mut rest) = (String::new(), sentence);
        while let Some(open) = rest.find('[') {
            let word = rest[..open].chars().rev().take_while(|c| c.is_ascii_alphabetic()).count();
            let start = open - word;
            let end = rest[open..].find(']').map_or(rest.len(), |close| open + close + 1);
            let known = self.file_names.get(&rest[start..end]);
            told.push_str(if known.is_some() { &rest[..start] } else { &rest[..end] });
            told.push_str(known.map_or("", String::as_str));
            rest = &rest[end..];
        }
        told + rest
    }
}

fn sense<S: Serializer>(sense: &Sense, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match sense {
        Sense::Minimise => "minimise",
        Sense::Maximise => "maximise",
    })
}

/// The rows of a block are called `name[0]`, `name[1]`, ...; a single one `name`.
fn block_name(problem: &Problem, rows: &Range<usize>) -> String {
    let first = problem.row_names().get(rows.start).cloned().unwrap_or_default();
    if rows.len() == 1 { first } else { first.trim_end_matches("[0]").to_owned() }
}

impl RunRecord {
    pub(crate) fn new(
        description: Description,
        settings: Settings,
        report: Report,
        notes: Vec<String>,
    ) -> Self {
        let (prepared, files) = (Vec::new(), Vec::new());
        Self {
            description,
            settings,
            report,
            notes,
            prepared,
            files,
            variables: None,
            losses: Vec::new(),
            made: None,
            answer: None,
        }
    }

    /// The multipliers by name, in the order of the file.
    pub(crate) fn multipliers(&self) -> Vec<(String, Multiplier)> {
        self.report.multipliers_of(&self.description.multipliers)
    }

    /// What the status means, in words.
    pub(crate) fn meaning(&self) -> String {
        self.description.in_file_names(&self.report.meaning())
    }

    /// What the lower bound takes for granted, in words.
    pub(crate) fn premise(&self) -> String {
        self.description.in_file_names(&self.report.premise())
    }
}

#[cfg(test)]
mod tests {
    use super::{Description, date};
    use std::path::Path;
    use ufcm::component::Linear;
    use ufcm::problem::Problem;

    #[test]
    fn rows_of_programs_have_the_names_of_their_file() {
        let problem = Problem::minimise(Linear::new(vec![1.0], 0.0).unwrap()).build().unwrap();
        let mut told = Description::new("p".into(), Path::new("p.lp"), &problem, None, None);
        let sentence = "`inequalities[0]` and `inequalities[10]` (`é[1]`, é, a[) have no common point";
        assert_eq!(told.in_file_names(sentence), sentence);
        told.file_names = [("inequalities[0]", "c1"), ("inequalities[10]", "cap")]
            .map(|(row, name)| (row.to_owned(), name.to_owned()))
            .into();
        assert_eq!(told.in_file_names(sentence), "`c1` and `cap` (`é[1]`, é, a[) have no common point");
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01 00:00 UTC");
        assert_eq!(date(951_782_399), "2000-02-28 23:59 UTC");
        assert_eq!(date(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(date(1_795_000_000), "2026-11-18 11:06 UTC");
    }
}
