//! Runs the command as a user would.

#![allow(dead_code, reason = "each test file uses what it needs of this")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a run of the command came to.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// The command, to be run in a folder.
pub fn ufcm(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ufcm"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs the command to its end.
pub fn run(folder: &Path, arguments: &[&str]) -> Run {
    let output = ufcm(folder, arguments).output().expect("the command starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let run = Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) };
    for word in ["panicked", "internal error: "] {
        assert!(!run.stderr.contains(word), "{arguments:?}: {}", run.stderr);
    }
    run
}

/// The repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

/// A folder of its own, removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("ufcm-cli-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder can be made");
        Self(path)
    }

    /// A folder with a copy of an example.
    pub fn with_example(name: &str) -> Self {
        let folder = Self::new();
        for entry in
            std::fs::read_dir(repository().join("examples").join(name)).expect("the example is there")
        {
            let path = entry.expect("it can be listed").path();
            std::fs::copy(&path, folder.0.join(path.file_name().unwrap())).expect("it can be copied");
        }
        folder
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), content).expect("it can be written");
    }

    /// Makes a pipe that has a name.
    pub fn pipe(&self, name: &str) -> PathBuf {
        let path = self.0.join(name);
        assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo is there").success());
        path
    }

    /// The files that a run has left beside its outputs.
    pub fn leftovers(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("it can be listed");
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.ends_with(".partial")).collect()
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("it was written")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A fenced block of the manual: its tag (`toml`, `csv people.csv`) and content.
pub fn manual_blocks() -> Vec<(String, String)> {
    let manual =
        std::fs::read_to_string(repository().join("docs/problem-format.md")).expect("the manual is there");
    let mut blocks = Vec::new();
    let mut lines = manual.lines();
    while let Some(line) = lines.next() {
        if let Some(tag) = line.strip_prefix("```") {
            let content: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push((tag.to_owned(), content.join("\n") + "\n"));
        }
    }
    blocks
}

/// A folder with the data files of the manual, and its problems.
pub fn manual_problems() -> (Folder, Vec<String>) {
    let folder = Folder::new();
    let mut problems = Vec::new();
    for (tag, content) in manual_blocks() {
        match tag.split_once(' ') {
            Some(("csv", name)) => folder.write(name, &content),
            _ if tag == "toml" => problems.push(content),
            _ => {}
        }
    }
    (folder, problems)
}

/// Whether two words of an output are the same, numbers up to what multipliers are determined to.
fn agree(shown: &str, documented: &str) -> bool {
    match (shown.parse::<f64>(), documented.parse::<f64>()) {
        (Ok(a), Ok(b)) if documented.contains('e') => (a - b).abs() <= 1e-3 * b.abs().max(1e-6),
        _ => shown == documented,
    }
}

/// Whether a line is documented, as far as the documentation goes.
pub fn is_shown(line: &str, documented: &str) -> bool {
    let (start, is_open) = match documented.strip_suffix("...") {
        Some(start) => (start, true),
        None => (documented, false),
    };
    let (shown, documented): (Vec<_>, Vec<_>) =
        (line.split_whitespace().collect(), start.split_whitespace().collect());
    (shown.len() == documented.len() || (is_open && shown.len() > documented.len()))
        && shown.iter().zip(&documented).all(|(a, b)| agree(a, b))
}

/// A number of a JSON file.
pub fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("it is JSON")
}

/// A CSV file of so many rows of numbers between -1/2 and 1/2, always the same.
pub fn random_table(rows: usize, columns: usize) -> String {
    let mut table = (0..columns).map(|j| format!("f{j}")).collect::<Vec<_>>().join(",");
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1u64 << 24) as f64 - 0.5
    };
    for _ in 0..rows {
        let row: Vec<String> = (0..columns).map(|_| format!("{:.4}", random())).collect();
        table.push_str(&format!("\n{}", row.join(",")));
    }
    table + "\n"
}

/// A problem that takes long: a nonsmooth loss of many rows as a black box.
pub fn endless() -> Folder {
    let folder = Folder::new();
    folder.write("data.csv", random_table(20_000, 41));
    let problem = "\
[data.d]
file = \"data.csv\"
label = \"f0\"
[components.loss]
kind = \"power\"
p = 1.0
data = \"d\"
[objective]
minimise = \"loss\"
[domain]
kind = \"ball\"
radius = 10
";
    folder.write("problem.toml", problem);
    folder
}

/// A problem whose rows are in rows.csv.
pub const ROWS: &str = "\
[affine.rows]
matrix = \"rows.csv\"
[[terms]]
kind = \"maximum\"
affine = \"rows\"
[domain]
kind = \"ball\"
radius = 10
";
