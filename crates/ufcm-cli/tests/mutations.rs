//! 300 problem files with something wrong in them: none makes the command panic, and each error is located.

mod common;

use common::{Folder, manual_problems, run};
use std::path::Path;

/// A generator of numbers without structure that is the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        // Knuth's linear congruence; the high bits are the good ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }

    fn of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }
}

/// Changes a good file in one of twelve ways.
fn mutated(random: &mut Random, way: usize, good: &str) -> Vec<u8> {
    let mut lines: Vec<String> = good.lines().map(str::to_owned).collect();
    let assignments: Vec<usize> = (0..lines.len()).filter(|&k| lines[k].contains(" = ")).collect();
    let at = assignments[random.below(assignments.len())];
    let (key, value) = {
        let (key, value) = lines[at].split_once(" = ").unwrap();
        (key.to_owned(), value.to_owned())
    };
    match way {
        // A slip in a key: two letters swapped, one lost, one twice.
        0 => {
            let k = random.below(key.len().saturating_sub(1));
            let mut letters: Vec<char> = key.chars().collect();
            letters.swap(k, (k + 1).min(key.len() - 1));
            lines[at] = format!("{} = {value}", letters.into_iter().collect::<String>());
        }
        1 => lines[at] = format!("{} = {value}", &key[..key.len() - 1]),
        2 => lines[at] = format!("{key}{key} = {value}"),
        // A value of another type.
        3 => {
            let other =
                random.of(&["\"text\"", "3.5", "true", "[]", "{}", "2026-11-16", "[[]]", "[\"a\"]", "-1"]);
            lines[at] = format!("{key} = {other}");
        }
        // A number that is none, or too large.
        4 => {
            let number = random.of(&["nan", "inf", "-inf", "1e400", "1e308", "-1e308", "0", "1e-320"]);
            lines[at] = format!("{key} = {number}");
        }
        5 => {
            let size = random.of(&[
                "999999999999",
                "{ identity = 99999999999 }",
                "[999999999999]",
                "18446744073709551615",
            ]);
            lines[at] = format!("{key} = {size}");
        }
        6 => drop(lines.remove(at)),
        7 => lines.insert(at, lines[at].clone()),
        8 => lines
            .insert(0, format!("[variables]\ncount = {}", random.of(&["3", "0", "1000000000000000", "-1"]))),
        // A matrix that claims to be huge.
        9 => {
            let matrix = "{ rows = 99999999999, columns = 99999999999, entries = [[0, 0, 1]] }";
            lines[at] = format!("{key} = {matrix}");
        }
        // A file cut off.
        10 => {
            let mut bytes = good.as_bytes().to_vec();
            bytes.truncate(random.below(good.len()));
            return bytes;
        }
        // A byte changed to any other.
        _ => {
            let mut bytes = good.as_bytes().to_vec();
            let k = random.below(bytes.len());
            bytes[k] = random.below(256) as u8;
            return bytes;
        }
    }
    (lines.join("\n") + "\n").into_bytes()
}

/// Whether a message tells a place: `--> file:line:column`, with the line and a mark.
fn is_located(message: &str) -> bool {
    let place = message.lines().find_map(|line| line.trim().strip_prefix("--> problem.toml:"));
    let numbers =
        place.map(|place| place.split(':').filter(|number| number.parse::<usize>().is_ok()).count());
    message.starts_with("error: ") && numbers == Some(2) && message.contains('^')
}

/// Runs a changed file; answers whether it was refused.
fn is_refused(folder: &Path, what: &str) -> bool {
    let arguments = ["solve", "problem.toml", "--max-gradients", "100", "--time-limit", "5"];
    let run = run(folder, &arguments);
    match run.code {
        Some(3) => {
            assert!(is_located(&run.stderr), "{what}: {}", run.stderr);
            true
        }
        Some(0 | 1 | 2 | 4) => {
            assert!(run.stdout.contains("\nstatus  "), "{what}: {}{}", run.stdout, run.stderr);
            false
        }
        code => panic!("{what}: exit {code:?}: {}", run.stderr),
    }
}

#[test]
fn changed_problem_files() {
    let (folder, mut problems) = manual_problems();
    let portfolio = Folder::with_example("qcqp");
    for name in ["quiet.csv", "crisis.csv"] {
        folder.write(name, portfolio.read(name));
    }
    problems.push(portfolio.read("problem.toml"));
    problems.push(Folder::with_example("lp").read("problem.toml"));
    let mut random = Random(20_261_116);
    let mut refused = 0;
    for k in 0..300 {
        let good = &problems[random.below(problems.len())];
        let bytes = mutated(&mut random, k % 12, good);
        folder.write("problem.toml", &bytes);
        let what = format!("mutation {k}:\n{}", String::from_utf8_lossy(&bytes));
        refused += usize::from(is_refused(&folder.0, &what));
    }
    assert!(refused >= 200, "most changes are mistakes: {refused} of 300 were refused");
}

#[test]
fn changed_data_files() {
    let (folder, problems) = manual_problems();
    let problem =
        problems.iter().find(|problem| problem.contains("people.csv")).expect("the manual has data");
    folder.write("problem.toml", problem);
    let good = folder.read("people.csv").into_bytes();
    let mut random = Random(7);
    let mut refused = 0;
    for k in 0..60 {
        let mut bytes = good.clone();
        match k % 3 {
            0 => bytes.truncate(random.below(good.len())),
            1 => {
                let at = random.below(good.len());
                bytes[at] = random.below(256) as u8;
            }
            _ => {
                let at = random.below(good.len());
                let more = random.of(&["nan", ",", "\n", "\"", "1e999", "x"]);
                bytes.splice(at..at, more.bytes());
            }
        }
        folder.write("people.csv", &bytes);
        refused += usize::from(is_refused(&folder.0, &String::from_utf8_lossy(&bytes)));
    }
    assert!(refused >= 30, "{refused} of 60 were refused");
}
