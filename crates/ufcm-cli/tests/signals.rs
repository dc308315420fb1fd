//! Ctrl-C, SIGTERM and SIGHUP: the first stops a run that still writes everything, the second ends the program; where no run
//! goes, the first does.

#![cfg(unix)]

mod common;

use common::{Folder, ROWS, endless, json, run, ufcm};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Signals with the exit code of a program that they end.
const SIGNALS: [(&str, i32); 3] = [("INT", 130), ("TERM", 143), ("HUP", 129)];
/// What ending takes at most, on a machine that is busy with other tests.
const PROMPT: Duration = Duration::from_secs(10);

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

fn start(folder: &Path, arguments: &[&str]) -> Child {
    ufcm(folder, arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until the run has taken so many steps, of which there is a row.
fn wait_for_step(seen: &mut impl BufRead, step: &str) {
    let mut line = String::new();
    while line.split_whitespace().next() != Some(step) {
        line.clear();
        assert_ne!(seen.read_line(&mut line).unwrap(), 0, "it ended by itself");
    }
}

/// How a program ends, soon.
fn end(mut child: Child) -> Option<i32> {
    let asked = Instant::now();
    while asked.elapsed() < PROMPT {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    panic!("it goes on");
}

const ENDLESS: [&str; 6] = ["solve", "problem.toml", "--eps-rel", "1e-13", "--metric", "scalar"];

#[test]
fn the_first_signal_stops_the_run_and_everything_is_written() {
    for (signal, _) in SIGNALS {
        let folder = endless();
        let outputs = [
            "--json",
            "run.json",
            "--solution",
            "x.npy",
            "--certificate",
            "proof.json",
            "--report",
            "run.html",
        ];
        let mut child = start(&folder.0, &[&ENDLESS[..], &outputs[..]].concat());
        let mut seen = BufReader::new(child.stdout.take().unwrap());
        wait_for_step(&mut seen, "5");
        send(signal, &child);
        let mut rest = String::new();
        seen.read_to_string(&mut rest).unwrap();
        assert_eq!(end(child), Some(1), "{signal}");
        assert!(rest.contains("status       Interrupted: stopped on request"), "{rest}");
        let summary = json(&folder.read("run.json"));
        assert_eq!(summary["status"], "Interrupted");
        assert!(summary["history"].as_array().unwrap().len() >= 5);
        assert!(folder.read("run.html").contains("<span class=\"badge unfinished\">Interrupted</span>"));
        assert_eq!(run(&folder.0, &["verify", "problem.toml", "proof.json"]).code, Some(0));
        assert!(folder.leftovers().is_empty());
        // The point it leaves is where the next run starts.
        let again = ["solve", "problem.toml", "--x0", "x.npy", "--max-gradients", "3", "--json", "-"];
        let again = run(&folder.0, &again);
        assert_eq!(again.code, Some(1));
        let objective = |summary: &serde_json::Value| summary["objective"].as_f64().unwrap();
        assert!(objective(&json(&again.stdout)) <= objective(&summary) * (1.0 + 1e-12), "{}", again.stdout);
    }
}

#[test]
fn the_second_signal_ends_the_program_at_once() {
    for (first, (second, code)) in
        ["INT", "INT", "TERM"].into_iter().zip([SIGNALS[0], SIGNALS[1], SIGNALS[0]])
    {
        let folder = endless();
        let pipe = folder.pipe("course.html");
        let outputs = ["--report", "course.html", "--json", "run.json"];
        let mut child = start(&folder.0, &[&ENDLESS[..], &outputs[..]].concat());
        // Someone who takes the page but does not read it: a pipe holds less than it, and nobody asks the budget there.
        let reader = File::open(&pipe).unwrap();
        let mut seen = BufReader::new(child.stdout.take().unwrap());
        wait_for_step(&mut seen, "300");
        send(first, &child);
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("once more to quit without results") {
            line.clear();
            assert_ne!(said.read_line(&mut line).unwrap(), 0, "it ended at the first signal");
        }
        let mut rest = String::new();
        while !rest.contains("time ") {
            assert_ne!(seen.read_line(&mut rest).unwrap(), 0, "it ended at the first signal");
        }
        std::thread::sleep(Duration::from_millis(200));
        send(second, &child);
        assert_eq!(end(child), Some(code), "{first}, {second}");
        assert!(folder.leftovers().is_empty());
        drop(reader);
    }
}

#[test]
fn where_no_run_goes_the_first_signal_ends_the_program() {
    let commands: [&[&str]; 5] = [
        &["solve", "problem.toml", "--json", "run.json", "--solution", "x.npy"],
        &["check", "problem.toml"],
        &["plan", "problem.toml"],
        &["verify", "problem.toml", "rows.csv"],
        &["convert", "rows.csv", "rows.npy"],
    ];
    for (k, command) in commands.into_iter().enumerate() {
        let folder = Folder::new();
        folder.write("problem.toml", ROWS);
        let pipe = folder.pipe("rows.csv");
        let child = start(&folder.0, command);
        // This waits until the command reads; what it reads never comes.
        let writer = File::options().write(true).open(&pipe).unwrap();
        let (signal, code) = SIGNALS[k % 3];
        send(signal, &child);
        assert_eq!(end(child), Some(code), "{command:?}");
        drop(writer);
        let left = std::fs::read_dir(&folder.0).unwrap().count();
        assert_eq!(left, 2, "{command:?} left something behind");
    }
}

#[test]
fn a_terminal_that_is_closed_does_not_stop_what_nohup_started() {
    let folder = endless();
    let line = format!("trap '' HUP; exec {} {}", env!("CARGO_BIN_EXE_ufcm"), ENDLESS.join(" "));
    let mut child = Command::new("sh")
        .args(["-c", &line])
        .current_dir(&folder.0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut seen = BufReader::new(child.stdout.take().unwrap());
    wait_for_step(&mut seen, "5");
    send("HUP", &child);
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "it has ended");
    send("TERM", &child);
    let mut rest = String::new();
    seen.read_to_string(&mut rest).unwrap();
    assert_eq!(end(child), Some(1), "{rest}");
}
