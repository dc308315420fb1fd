//! The command on a terminal: colours where they are wanted, and the keys that stop a run. The terminal is one that `script` makes, which is part of
//! every Debian system.

#![cfg(unix)]

mod common;

use common::{endless, random_table, run};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// What the arguments show on a terminal; nothing where there is no `script`.
fn on_terminal(folder: &Path, arguments: &str, environment: &[(&str, &str)]) -> Option<Child> {
    // `exec`, because some shells stay as the command's parent, hear Ctrl-C as well, and end with a code of their own.
    let command = format!("exec {} {arguments}", env!("CARGO_BIN_EXE_ufcm"));
    let started = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .env("TERM", "xterm-256color")
        .envs(environment.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    assert!(started.is_ok() || std::env::var("CI").is_err(), "the command `script` is missing");
    started.ok()
}

/// All that a command shows until it ends.
fn shown(folder: &Path, arguments: &str, environment: &[(&str, &str)]) -> Option<String> {
    let child = on_terminal(folder, arguments, environment)?;
    Some(String::from_utf8_lossy(&child.wait_with_output().unwrap().stdout).into_owned())
}

const COLOUR: &str = "\x1b[";

#[test]
fn help_and_mistakes_have_colours_on_a_terminal_unless_it_is_told_not_to() {
    let folder = endless();
    for arguments in ["--help", "solve --no-such-option"] {
        let Some(coloured) = shown(&folder.0, arguments, &[]) else { return };
        assert!(coloured.contains(COLOUR), "{arguments}: {coloured}");
        let plain = shown(&folder.0, arguments, &[("NO_COLOR", "1")]).unwrap();
        assert!(!plain.contains(COLOUR) && plain.len() > 100, "{arguments}: {plain}");
        let piped = run(&folder.0, &arguments.split(' ').collect::<Vec<_>>());
        let both = piped.stdout + &piped.stderr;
        assert!(!both.contains(COLOUR) && both.len() > 100, "{arguments}: {both}");
    }
}

/// Presses Ctrl-C as often as asked for, each time after what tells that the press before was heard; answers with the exit code and all that was shown.
fn interrupted(presses: usize) -> Option<(Option<i32>, String)> {
    let folder = endless();
    if presses == 1 {
        // Ten times the data: a run on a terminal shows nothing for a while, and must not end before.
        folder.write("data.csv", random_table(20_000, 41));
    }
    let pipe = folder.pipe("course.html");
    let arguments = match presses {
        1 => "solve problem.toml --eps-rel 1e-13 --metric scalar",
        // Nobody takes the page, so that the run has not ended when the second press comes.
        _ => "solve problem.toml --eps-rel 1e-13 --metric scalar --report course.html",
    };
    let mut child = on_terminal(&folder.0, arguments, &[])?;
    let mut seen = BufReader::new(child.stdout.take().unwrap());
    let mut keys = child.stdin.take().unwrap();
    let reader = (presses > 1).then(|| std::fs::File::open(&pipe).unwrap());
    let mut text = Vec::new();
    // The line that changes ends with no newline: it begins with a return. Words come in any order: another thread says that it stops.
    let mut wait_for = |words: &[&str], text: &mut Vec<u8>| {
        let mut part = Vec::new();
        while !words.iter().all(|word| String::from_utf8_lossy(&part).contains(word)) {
            let read = seen.read_until(b'\r', &mut part).unwrap();
            assert_ne!(read, 0, "no {words:?} in {}", String::from_utf8_lossy(&part));
        }
        text.extend(part);
    };
    wait_for(&["settings"], &mut text);
    wait_for(&["gap"], &mut text);
    keys.write_all(b"\x03").unwrap();
    if presses > 1 {
        wait_for(&["once more to quit without results", "time "], &mut text);
        std::thread::sleep(std::time::Duration::from_millis(200));
        keys.write_all(b"\x03").unwrap();
    }
    seen.read_to_end(&mut text).unwrap();
    drop(reader);
    Some((child.wait().unwrap().code(), String::from_utf8_lossy(&text).into_owned()))
}

#[test]
fn ctrl_c_stops_with_the_best_answer() {
    let Some((code, text)) = interrupted(1) else { return };
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("Interrupted") && text.contains("objective "), "{text}");
}

#[test]
fn ctrl_c_twice_ends_the_program() {
    let Some((code, text)) = interrupted(2) else { return };
    assert_eq!(code, Some(130), "{text}");
}
