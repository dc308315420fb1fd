//! Data that are no plain files: pipes are read while the time lasts, everything else is refused by name.

#![cfg(unix)]

mod common;

use common::{Folder, ROWS, random_table, run, ufcm};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// What a refusal takes at most, on a machine that is busy with other tests.
const PROMPT: Duration = Duration::from_secs(10);

/// A folder with a problem whose rows are in a file.
fn rows() -> Folder {
    let folder = Folder::new();
    folder.write("rows.csv", random_table(5, 3));
    folder.write("problem.toml", ROWS);
    folder
}

#[test]
fn a_pipe_that_nobody_writes_to_does_not_hold_up_a_limit_of_time() {
    for name in ["rows.csv", "problem.toml", "program.mps", "x0.npy"] {
        let folder = rows();
        let _ = std::fs::remove_file(folder.0.join(name));
        folder.pipe(name);
        let problem = if name == "program.mps" { name } else { "problem.toml" };
        let mut arguments = vec!["solve", problem, "--time-limit", "0.3", "--json", "run.json"];
        arguments.extend(if name == "x0.npy" { &["--x0", "x0.npy"][..] } else { &[] });
        let started = Instant::now();
        let ended = run(&folder.0, &arguments);
        assert!(started.elapsed() < PROMPT, "{name}");
        assert_eq!(ended.code, Some(1), "{name}: {}", ended.stderr);
        let told = "the limit on time was reached while it was being read";
        assert!(ended.stderr.contains(name) && ended.stderr.contains(told), "{}", ended.stderr);
        assert!(folder.leftovers().is_empty());
    }
}

#[test]
fn what_comes_through_a_pipe_is_read() {
    let folder = rows();
    let by_file = run(&folder.0, &["solve", "problem.toml", "--quiet", "--solution", "x.npy"]);
    assert_eq!(by_file.code, Some(0), "{}", by_file.stderr);
    let by_file = std::fs::read(folder.0.join("x.npy")).unwrap();
    let table = folder.read("rows.csv");
    std::fs::remove_file(folder.0.join("rows.csv")).unwrap();
    let pipe = folder.pipe("rows.csv");
    let child = ufcm(&folder.0, &["solve", "problem.toml", "--quiet", "--solution", "x.npy"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::fs::write(&pipe, table).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(std::fs::read(folder.0.join("x.npy")).unwrap(), by_file);
}

#[test]
fn folders_sockets_and_devices_are_refused_by_name() {
    let folder = rows();
    std::fs::create_dir(folder.0.join("folder")).unwrap();
    let _socket = UnixListener::bind(folder.0.join("socket")).unwrap();
    for (target, kind) in [
        ("folder", "a folder"),
        ("socket", "a socket"),
        ("/dev/zero", "a device"),
        ("/dev/urandom", "a device"),
        ("/dev/null", "a device"),
    ] {
        for name in ["odd.csv", "odd.toml", "odd.mps", "odd.npy"] {
            let _ = std::fs::remove_file(folder.0.join(name));
            symlink(target, folder.0.join(name)).unwrap();
        }
        folder.write("other.toml", ROWS.replace("rows.csv", "odd.csv"));
        let commands: [(&str, &[&str]); 6] = [
            ("odd.csv", &["solve", "other.toml", "--allow-paths"]),
            ("odd.toml", &["solve", "odd.toml"]),
            ("odd.mps", &["check", "odd.mps"]),
            ("odd.npy", &["solve", "problem.toml", "--x0", "odd.npy"]),
            ("odd.csv", &["verify", "problem.toml", "odd.csv"]),
            ("odd.npy", &["convert", "odd.npy", "out.csv"]),
        ];
        for (name, command) in commands {
            let started = Instant::now();
            let refused = run(&folder.0, command);
            assert_eq!(refused.code, Some(3), "{command:?}, {target}: {}", refused.stderr);
            let told = format!("{name}: expected a file, found {kind}");
            assert!(refused.stderr.contains(&told), "{command:?}, {target}: {}", refused.stderr);
            assert!(started.elapsed() < PROMPT, "{command:?}, {target}");
        }
    }
}
