//! Outputs are opened before anything is read, never replace what is read, and fail one by one.

#![cfg(unix)]

mod common;

use common::{Folder, Run, endless, json, run, ufcm};
use std::fs::File;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Whatever names an output of `solve`, with a name that it takes.
const OPTIONS: [(&str, &str); 5] = [
    ("--json", "o.json"),
    ("--solution", "o.npy"),
    ("--certificate", "o.json"),
    ("--report", "o.html"),
    ("--plot", "o.svg"),
];

/// Runs the command with files of at most so many blocks of 512 bytes.
fn run_with_blocks(folder: &Folder, blocks: usize, arguments: &[&str]) -> Run {
    let line = format!("ulimit -f {blocks}; exec {} {}", env!("CARGO_BIN_EXE_ufcm"), arguments.join(" "));
    let shell = if Command::new("dash").arg("-c").arg(":").status().is_ok() { "dash" } else { "sh" };
    let output = Command::new(shell).args(["-c", &line]).current_dir(&folder.0).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Run { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

#[test]
fn what_cannot_be_opened_is_told_before_anything_is_read() {
    let folder = Folder::new();
    for (option, name) in OPTIONS {
        std::fs::create_dir_all(folder.0.join("folder").join(name)).unwrap();
        let _ = std::fs::remove_file(folder.0.join(name));
        symlink("/dev/full", folder.0.join(name)).unwrap();
        for (path, message) in [
            (format!("no/such/{name}"), "there is no folder"),
            (format!("folder/{name}"), "this is a folder"),
            (name.to_owned(), "cannot be written: No space left on device"),
            (format!("/proc/{name}"), "cannot be written"),
        ] {
            // There is no such problem, and nobody finds out.
            let refused = run(&folder.0, &["solve", "nothing.toml", option, &path]);
            assert_eq!(refused.code, Some(3), "{option} {path}: {}", refused.stderr);
            let told = format!("error: {option} {path}: {message}");
            assert!(refused.stderr.starts_with(&told), "{told}, not {}", refused.stderr);
        }
    }
    let refused = run(&folder.0, &["convert", "nothing.mtx", "no/such/a.npy"]);
    assert!(refused.code == Some(3) && refused.stderr.contains("no/such/a.npy: there is no folder"));
    let full = File::options().write(true).open("/dev/full").unwrap();
    let refused = ufcm(&folder.0, &["solve", "nothing.toml", "--json", "-"]).stdout(full).output().unwrap();
    assert_eq!(refused.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("standard output: No space left on device"));
    assert!(folder.leftovers().is_empty());
}

/// As a user who may not do everything: nobody, where the tests are run by root.
#[test]
fn folders_and_files_that_may_not_be_written_are_told_before_anything_is_read() {
    let folder = Folder::new();
    let program = folder.0.join("ufcm");
    // By another process: children of other tests would inherit the open file, which cannot be run until they close it.
    assert!(Command::new("cp").arg(env!("CARGO_BIN_EXE_ufcm")).arg(&program).status().unwrap().success());
    let permit = |name: &str, mode: u32| {
        std::fs::set_permissions(folder.0.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    std::fs::create_dir(folder.0.join("closed")).unwrap();
    std::fs::create_dir(folder.0.join("open")).unwrap();
    folder.write("open/o.json", "before");
    permit("closed", 0o555);
    permit("open", 0o777);
    permit("open/o.json", 0o444);
    permit("", 0o755);
    let is_root =
        std::fs::metadata("/proc/self").is_ok_and(|known| std::os::unix::fs::MetadataExt::uid(&known) == 0);
    for path in ["closed/o.json", "open/o.json"] {
        let mut command = Command::new(&program);
        command.args(["solve", "nothing.toml", "--json", path]).current_dir(&folder.0);
        if is_root {
            command.uid(65534).gid(65534);
        }
        let refused = command.output().unwrap();
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(3), "{told}");
        let expected = format!("error: --json {path}: cannot be written: Permission denied");
        assert!(told.starts_with(&expected), "{told}");
    }
    permit("closed", 0o755);
    assert_eq!(folder.read("open/o.json"), "before");
}

#[test]
fn room_for_the_outputs_is_taken_before_the_run() {
    let folder = endless();
    // Not even a few KiB.
    let refused = run_with_blocks(&folder, 2, &["solve", "nothing.toml", "--json", "run.json"]);
    assert_eq!(refused.code, Some(3), "{}", refused.stderr);
    assert!(refused.stderr.starts_with("error: --json run.json: cannot be written: File too large"));
    // A solution of 8 bytes for each variable, of a run that would not end.
    let columns = 20_000;
    let header: Vec<String> = (0..columns).map(|j| format!("f{j}")).collect();
    let row = vec!["1"; columns].join(",");
    folder.write("data.csv", format!("{}\n{row}\n{row}\n", header.join(",")));
    let refused = run_with_blocks(&folder, 100, &["solve", "problem.toml", "--solution", "x.npy"]);
    assert_eq!(refused.code, Some(3), "{}", refused.stderr);
    assert!(refused.stderr.starts_with("error: --solution x.npy: cannot be written: File too large"));
    assert!(!refused.stdout.contains("status"), "{}", refused.stdout);
    assert!(folder.leftovers().is_empty());
}

#[test]
fn a_write_that_fails_in_the_end_loses_nothing_else() {
    let folder = endless();
    folder.write("run.html", "the page before");
    let arguments = [
        "solve",
        "problem.toml",
        "--eps-rel",
        "1e-13",
        "--metric",
        "scalar",
        "--max-gradients",
        "400",
        "--quiet",
        "--report",
        "run.html",
        "--json",
        "run.json",
        "--solution",
        "x.npy",
        "--certificate",
        "proof.json",
        "--plot",
        "run.svg",
    ];
    // 64 KiB: less than the page and the summary of so many steps.
    let failed = run_with_blocks(&folder, 128, &arguments);
    assert_eq!(failed.code, Some(3), "{}", failed.stderr);
    for output in ["--report run.html", "--json run.json"] {
        let told = format!("error: {output}: cannot be written: File too large");
        assert!(failed.stderr.contains(&told), "{}", failed.stderr);
    }
    for essential in ["status       IterationLimit", "objective    ", "lower bound  ", "violation    "] {
        assert!(failed.stderr.contains(essential), "no {essential}in {}", failed.stderr);
    }
    assert_eq!(folder.read("run.html"), "the page before");
    assert!(!folder.0.join("run.json").exists());
    assert_eq!(run(&folder.0, &["verify", "problem.toml", "proof.json"]).code, Some(0));
    let again = ["solve", "problem.toml", "--x0", "x.npy", "--max-gradients", "3", "--json", "-"];
    assert_eq!(run(&folder.0, &again).code, Some(1));
    assert!(folder.read("run.svg").contains("</svg>"));
    assert!(folder.leftovers().is_empty());
}

#[test]
fn a_standard_output_that_is_full_keeps_no_file_from_being_written() {
    let folder = Folder::with_example("qcqp");
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output =
        ufcm(&folder.0, &["solve", "problem.toml", "--json", "run.json"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("standard output: No space left on device"), "{told}");
    assert!(told.contains("status       Certified"), "{told}");
    assert_eq!(json(&folder.read("run.json"))["status"], "Certified");
}

/// Asserts that the command refuses, tells so, and changes no file.
fn assert_refused(folder: &Folder, arguments: &[&str], told: &[&str]) {
    let content = || {
        let entries = std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = entries.map(|path| (std::fs::read(&path).unwrap(), path)).collect();
        files.sort();
        files
    };
    let before = content();
    let refused = run(&folder.0, arguments);
    assert_eq!(refused.code, Some(3), "{arguments:?}: {}{}", refused.stdout, refused.stderr);
    for word in told {
        assert!(refused.stderr.contains(word), "{arguments:?}: no \"{word}\" in {}", refused.stderr);
    }
    assert!(!refused.stdout.contains("status"), "{}", refused.stdout);
    assert_eq!(content(), before, "{arguments:?}");
}

#[test]
fn an_output_that_is_an_input_is_refused() {
    let folder = Folder::with_example("qcqp");
    assert_eq!(run(&folder.0, &["solve", "problem.toml", "--quiet", "--solution", "x0.npy"]).code, Some(0));
    folder.write("tiny.mps", "NAME t\nROWS\n N c\nCOLUMNS\n x c 1\nBOUNDS\n UP b x 1\nENDATA\n");
    for file in ["problem.toml", "quiet.csv", "x0.npy"] {
        symlink(file, folder.0.join(format!("soft-{file}"))).unwrap();
        std::fs::hard_link(folder.0.join(file), folder.0.join(format!("hard-{file}"))).unwrap();
    }
    for (option, _) in &OPTIONS[..4] {
        for (file, reader) in
            [("problem.toml", "the problem file"), ("quiet.csv", "a data file"), ("x0.npy", "--x0")]
        {
            for output in
                [file.to_owned(), format!("./{file}"), format!("soft-{file}"), format!("hard-{file}")]
            {
                let arguments = ["solve", "problem.toml", "--x0", "x0.npy", option, &output];
                // No file of data ends as a report must.
                let told = match (*option, reader) {
                    ("--report", "a data file") => format!("error: {output}: --report writes HTML"),
                    _ => format!("error: {option} {output}: {reader} is this file"),
                };
                assert_refused(&folder, &arguments, &[&told]);
            }
        }
    }
    assert_refused(&folder, &["solve", "tiny.mps", "--json", "tiny.mps"], &["--json", "the problem file"]);
    assert_refused(&folder, &["convert", "tiny.mps", "tiny.mps"], &["a file that is read is this file"]);
}

#[test]
fn two_outputs_are_two_files() {
    let folder = Folder::with_example("qcqp");
    folder.write("there.json", "before");
    std::fs::hard_link(folder.0.join("there.json"), folder.0.join("same.json")).unwrap();
    symlink("later.json", folder.0.join("link.json")).unwrap();
    // What a link leads to, and is not there, cannot be compared by content.
    let refused = |one: &str, other: &str| {
        let arguments = ["solve", "problem.toml", "--certificate", one, "--json", other];
        let told = run(&folder.0, &arguments);
        assert_eq!(told.code, Some(3), "{}", told.stderr);
        let expected = format!("error: --json {other}: --certificate writes to it too ({one})");
        assert!(told.stderr.starts_with(&expected), "{}", told.stderr);
    };
    refused("new.json", "new.json");
    refused("new.json", "./new.json");
    refused("later.json", "link.json");
    refused("there.json", "same.json");
    assert!(!folder.0.join("new.json").exists());
    let nowhere = ["solve", "problem.toml", "--json", "/dev/null", "--certificate", "/dev/null"];
    assert_eq!(run(&folder.0, &nowhere).code, Some(0));
    let dash = run(&folder.0, &["solve", "problem.toml", "--certificate", "-"]);
    assert!(
        dash.code == Some(3) && dash.stderr.contains("--certificate -: standard output is for --json alone")
    );
    let log = File::create(folder.0.join("log")).unwrap();
    let shared = ufcm(&folder.0, &["solve", "problem.toml", "--json", "log"]).stdout(log).output().unwrap();
    assert_eq!(shared.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&shared.stderr).contains("standard output goes to it too"));
}

#[test]
fn links_and_permissions_of_outputs_stay() {
    let folder = Folder::with_example("qcqp");
    folder.write("real.json", "before");
    std::fs::set_permissions(folder.0.join("real.json"), std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.json", folder.0.join("link.json")).unwrap();
    assert_eq!(run(&folder.0, &["solve", "problem.toml", "--quiet", "--json", "link.json"]).code, Some(0));
    assert!(folder.0.join("link.json").is_symlink());
    assert_eq!(json(&folder.read("real.json"))["status"], "Certified");
    let mode = std::fs::metadata(folder.0.join("real.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn a_pipe_takes_an_output_if_someone_reads_it() {
    let folder = Folder::with_example("qcqp");
    let pipe = folder.pipe("run.json");
    let arguments = ["solve", "problem.toml", "--quiet", "--time-limit", "0.3", "--json", "run.json"];
    let unread = run(&folder.0, &arguments);
    assert_eq!(unread.code, Some(1), "{}", unread.stderr);
    assert!(unread.stderr.contains("--json run.json: the limit on time was reached while nobody read"));
    let mut child =
        ufcm(&folder.0, &["solve", "problem.toml", "--quiet", "--json", "run.json"]).spawn().unwrap();
    let summary = std::fs::read_to_string(&pipe).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(json(&summary)["status"], "Certified");
}
