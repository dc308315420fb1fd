//! A limit of time and Ctrl-C take effect inside steps that take seconds, and a terminal is told what takes so long.

mod common;

use common::{Folder, json, run, ufcm};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use ufcm_io::npy;

/// What a run may take beyond its limit: one evaluation and 100 ms, the start and the end of a process, and other tests
/// beside this one.
const LATE: Duration = Duration::from_millis(500);
/// Attempts at a measurement: a machine that is shared may hold one up, hardly three.
const ATTEMPTS: usize = 3;

/// Thousands of affine rows beside a curved one: the first model step takes seconds.
fn long_step() -> Folder {
    let (rows, columns) = (4000, 900);
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1u64 << 24) as f64 - 0.5
    };
    let folder = Folder::new();
    let cost: Vec<f64> = (0..columns).map(|_| random()).collect();
    folder.write("cost.npy", npy::vector_bytes(&cost));
    let entries: Vec<f64> = (0..rows * columns).map(|_| random()).collect();
    folder.write("rows.npy", npy::matrix_bytes(rows, columns, entries));
    folder.write("size.npy", npy::vector_bytes(&vec![1.0; columns]));
    let problem = "\
[components.cost]
kind = \"linear\"
c = \"cost.npy\"
[components.size]
kind = \"quadratic\"
diagonal = \"size.npy\"
[objective]
minimise = \"cost\"
[affine.rows]
matrix = \"rows.npy\"
offset = 0.3
[[constraints]]
affine = \"rows\"
at_most = 0
[[constraints]]
component = \"size\"
at_most = 30
[domain]
kind = \"box\"
lower = -100
upper = 100
";
    folder.write("problem.toml", problem);
    folder
}

/// Whether one of a few attempts is in time; each tells by how much it is late.
fn in_time(mut attempt: impl FnMut() -> Duration) {
    let late: Vec<Duration> = (0..ATTEMPTS).map(|_| attempt()).take_while(|late| *late > LATE).collect();
    assert!(late.len() < ATTEMPTS, "late by {late:?}");
}

#[test]
fn a_limit_of_time_ends_a_long_step_and_writes_everything() {
    let folder = long_step();
    in_time(|| {
        let started = Instant::now();
        let arguments =
            ["solve", "problem.toml", "--time-limit", "1", "--json", "run.json", "--solution", "x.npy"];
        let ended = run(&folder.0, &arguments);
        let late = started.elapsed().saturating_sub(Duration::from_secs(1));
        assert_eq!(ended.code, Some(1), "{}", ended.stderr);
        assert_eq!(json(&folder.read("run.json"))["status"], "TimeLimit");
        assert!(folder.0.join("x.npy").exists());
        late
    });
}

#[test]
fn an_interrupt_ends_a_long_step_and_writes_everything() {
    let folder = long_step();
    in_time(|| {
        let mut child = ufcm(&folder.0, &["solve", "problem.toml", "--json", "run.json", "--quiet"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_secs(1));
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        let interrupted = Instant::now();
        assert_eq!(child.wait().unwrap().code(), Some(1));
        assert_eq!(json(&folder.read("run.json"))["status"], "Interrupted");
        interrupted.elapsed()
    });
}

#[test]
fn a_limit_of_time_also_counts_while_files_are_read() {
    let folder = long_step();
    let ended = run(&folder.0, &["solve", "problem.toml", "--time-limit", "0.000001", "--json", "run.json"]);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("the limit on time was reached while it was being read"),
        "{}",
        ended.stderr
    );
}

/// A terminal as `script` makes one; it is part of every Debian system.
#[test]
fn a_terminal_is_told_what_takes_long() {
    let folder = long_step();
    let command = format!("{} solve problem.toml --time-limit 3", env!("CARGO_BIN_EXE_ufcm"));
    let shown = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(&folder.0)
        .stdin(Stdio::null())
        .output();
    let Ok(shown) = shown else {
        assert!(std::env::var("CI").is_err(), "the command `script` is missing");
        return;
    };
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    let told = |word: &str| assert!(shown.contains(word), "no \"{word}\" in {shown}");
    told("solving a model step");
    told(" inner steps for 1 s");
    told("TimeLimit");
}
