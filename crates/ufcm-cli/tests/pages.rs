//! Every command that a page shows in a `console` block is typed into a fresh shell, and prints what the page says.
//!
//! A block's commands follow `$ `; the lines below one are its output. A line `...` stands for any lines, a line that ends in `...` for any
//! that begin so. Numbers may differ in digits that an answer does not determine. Each page begins in a copy of `examples/`; its blocks
//! share it. Installing and building are `sh` blocks, which CI does by itself.

mod common;

use common::{Folder, is_shown, repository};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Between the outputs of two commands; no output has it.
const MARK: &str = "\u{1}next";

/// A command and the lines that the page shows below it.
struct Shown {
    command: String,
    lines: Vec<String>,
}

fn pages() -> Vec<PathBuf> {
    let docs = repository().join("docs");
    let mut pages: Vec<PathBuf> =
        std::fs::read_dir(&docs).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.retain(|page| page.extension().is_some_and(|ending| ending == "md"));
    pages.push(repository().join("README.md"));
    pages.sort();
    pages
}

/// The commands of each `console` block of a page.
fn blocks(page: &str) -> Vec<Vec<Shown>> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line != "```console" {
            continue;
        }
        let mut commands: Vec<Shown> = Vec::new();
        for line in lines.by_ref().take_while(|line| *line != "```") {
            match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some(command), _) => {
                    commands.push(Shown { command: command.to_owned(), lines: Vec::new() });
                }
                (None, Some(shown)) => shown.lines.push(line.to_owned()),
                (None, None) => panic!("a console block begins with `$ `, not with {line}"),
            }
        }
        blocks.push(commands);
    }
    blocks
}

/// Types the commands of a block into a shell; what each printed, on either stream.
fn typed(folder: &Path, block: &[Shown]) -> Vec<String> {
    let script: String =
        block.iter().map(|shown| format!("{}\necho '{MARK}'\n", shown.command)).collect::<String>();
    let binary = Path::new(env!("CARGO_BIN_EXE_ufcm")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{script}")])
        .current_dir(folder)
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .expect("there is a shell");
    let text = String::from_utf8(output.stdout).expect("outputs are text");
    let mut outputs: Vec<String> = text.split(&format!("{MARK}\n")).map(str::to_owned).collect();
    outputs.pop();
    assert_eq!(outputs.len(), block.len(), "{text}");
    outputs
}

/// Whether the lines were printed as the page has them.
fn matches(printed: &[&str], shown: &[String]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line.trim() == "..." => {
            (0..=printed.len()).any(|skipped| matches(&printed[skipped..], rest))
        }
        Some((line, rest)) => printed
            .split_first()
            .is_some_and(|(first, others)| is_shown(first, line) && matches(others, rest)),
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() { copy(&path, &target) } else { std::fs::copy(&path, &target).map(drop).unwrap() }
    }
}

#[test]
fn pages_show_what_their_commands_print() {
    let (mut count, mut wrong) = (0, Vec::new());
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        let blocks = blocks(&text);
        if blocks.is_empty() {
            continue;
        }
        let folder = Folder::new();
        copy(&repository().join("examples"), &folder.0.join("examples"));
        for block in &blocks {
            for (shown, printed) in block.iter().zip(typed(&folder.0, block)) {
                count += 1;
                let lines: Vec<&str> = printed.lines().collect();
                if !matches(&lines, &shown.lines) {
                    let expected = shown.lines.join("\n");
                    let page = page.file_name().unwrap().display();
                    wrong.push(format!("{page}: $ {}\nshows\n{expected}\nprinted\n{printed}", shown.command));
                }
            }
        }
    }
    assert!(count >= 5, "hardly a command was found: {count}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
