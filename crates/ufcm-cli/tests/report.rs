//! The page of `--report` as a browser shows it, and the picture of `--plot`.
//! Pictures of what was seen are left in target/tmp/report.

mod browser;
mod common;

use browser::Browser;
use common::{Folder, run};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Where pictures are left.
fn seen(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("report").join(name)
}

/// Solves with a report, and tells the exit code.
fn solve(folder: &Folder, options: &[&str]) -> Option<i32> {
    let fixed = ["solve", "problem.toml", "--quiet", "--report", "run.html"];
    let arguments: Vec<&str> = fixed.into_iter().chain(options.iter().copied()).collect();
    let solved = run(&folder.0, &arguments);
    assert!(solved.stderr.is_empty(), "{}", solved.stderr);
    solved.code
}

const MAX: &str = "\
name = \"Nearest point to four discs\"
[components.north]
kind = \"quadratic\"
diagonal = [2, 2]
linear = [0, -6]
constant = 9
[components.east]
kind = \"quadratic\"
diagonal = [4, 2]
linear = [-8, 0]
constant = 8
[components.south]
kind = \"quadratic\"
diagonal = [2, 1]
linear = [1, 3]
constant = 4.5
[components.idle]
kind = \"quadratic\"
diagonal = [0.5, 0.5]
[[terms]]
name = \"farthest\"
kind = \"max\"
of = [\"north\", \"east\", \"south\", \"idle\"]
[domain]
kind = \"box\"
lower = -5
upper = 5
";

/// A name that would do harm on a page that trusts it.
const HOSTILE: &str =
    "</script><script>document.title='x'</script><img src=http://127.0.0.1:9/ onerror=alert(1)>&amp;\"'";

#[test]
fn pages_show_what_happened() {
    let Some(mut browser) = Browser::start() else { return };
    let certified = Folder::with_example("neyman-pearson");
    assert_eq!(solve(&certified, &[]), Some(0));
    looks_right(&mut browser, &certified, "certified");
    for (width, scheme, name) in
        [(1280, "dark", "certified-dark.png"), (390, "light", "certified-narrow.png")]
    {
        browser.set_view(width, scheme);
        browser.screenshot(&seen(name));
        let overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(browser.evaluate(overflow), 0, "{name} is too wide");
    }
    let paper = "getComputedStyle(document.documentElement).backgroundColor";
    browser.set_view(1280, "dark");
    let dark = browser.evaluate(paper);
    browser.set_view(1280, "light");
    assert_ne!(browser.evaluate(paper), dark, "dark is dark");
    browser.show_on_paper();
    assert_eq!(browser.evaluate(paper), "rgb(255, 255, 255)", "paper is white, whatever the screen is");
    browser.print(&seen("certified.pdf"));

    let max = Folder::new();
    max.write("problem.toml", MAX);
    assert_eq!(solve(&max, &[]), Some(0));
    looks_right(&mut browser, &max, "max");

    let program = Folder::with_example("lp");
    assert_eq!(solve(&program, &["--method", "primal-dual"]), Some(0));
    looks_right(&mut browser, &program, "primal-dual");

    let limited = Folder::with_example("qcqp");
    assert_eq!(solve(&limited, &["--max-gradients", "5"]), Some(1));
    looks_right(&mut browser, &limited, "limited");

    let infeasible = Folder::with_example("lp");
    infeasible.write("problem.toml", infeasible.read("problem.toml").replace("[30, 35, 25]", "[30, 35, 45]"));
    assert_eq!(solve(&infeasible, &[]), Some(2));
    looks_right(&mut browser, &infeasible, "infeasible");
}

/// What every page with a run of some steps must show.
fn looks_right(browser: &mut Browser, folder: &Folder, name: &str) {
    browser.set_view(1280, "light");
    browser.open(&folder.0.join("run.html"));
    is_quiet(browser);
    let charts = browser.evaluate("document.querySelectorAll('figure').length").as_u64().unwrap();
    assert!(charts >= 4, "{name}: {charts}");
    // The last thing that the script does.
    assert_eq!(browser.evaluate("document.documentElement.dataset.ready"), charts.to_string(), "{name}");
    // Each chart has lines or strips of some length, in the axis that is shown and in that alone.
    let drawn = "[...document.querySelectorAll('figure')].map(f => [...f.querySelectorAll('svg')]\
        .filter(s => s.getBoundingClientRect().width > 300)\
        .map(s => s.querySelectorAll('.series circle, .series path[d*=L], .strip rect').length))";
    for axis in ["by-seconds", "by-gradients"] {
        browser.evaluate(&format!("document.querySelector('label[for={axis}]').click()"));
        let counts = browser.evaluate(drawn);
        for chart in counts.as_array().unwrap() {
            let [shown] = &chart.as_array().unwrap()[..] else { panic!("{name}, {axis}: {counts}") };
            assert!(shown.as_u64().unwrap() > 0, "{name}, {axis}: {counts}");
        }
    }
    browser.screenshot(&seen(&format!("{name}.png")));
    // The numbers under the pointer, and the cursor in all charts at once.
    browser.point_at("#chart-bounds svg.by-gradients");
    let tip = browser.evaluate("document.querySelector('#chart-bounds .tip').innerText");
    let tip = tip.as_str().unwrap();
    assert!(
        tip.contains("gradients") && tip.contains("objective") && tip.contains("lower bound"),
        "{name}: {tip}"
    );
    assert_eq!(browser.evaluate("document.querySelectorAll('.cursor').length"), charts, "{name}");
    browser.screenshot(&seen(&format!("{name}-pointer.png")));
    // A line that is clicked away is gone, and comes back.
    let hidden = "document.querySelectorAll('#chart-bounds .series.off').length";
    let click = "document.querySelector('#chart-bounds .legend button').click()";
    for expected in [2, 0] {
        browser.evaluate(click);
        assert_eq!(browser.evaluate(hidden), expected, "{name}");
    }
    is_quiet(browser);
}

/// Neither a complaint nor a request beyond the page itself.
fn is_quiet(browser: &Browser) {
    assert_eq!(browser.complaints(), Vec::<String>::new());
    let requests = browser.requests();
    assert!(requests.len() == 1 && requests[0].starts_with("file://"), "{requests:?}");
}

#[test]
fn names_cannot_break_out_of_the_page() {
    let folder = Folder::new();
    let name = json!(HOSTILE).to_string();
    folder.write(
        "problem.toml",
        MAX.replace("\"Nearest point to four discs\"", &name).replace("\"farthest\"", &name),
    );
    assert_eq!(solve(&folder, &["--plot", "run.svg"]), Some(0));
    for file in ["run.html", "run.svg"] {
        let text = folder.read(file);
        assert!(!text.contains("<img") && !text.contains("<script>document"), "{file}");
    }
    let Some(mut browser) = Browser::start() else { return };
    browser.open(&folder.0.join("run.html"));
    is_quiet(&browser);
    let title = browser.evaluate("document.querySelector('h1').textContent");
    assert_eq!(title, HOSTILE);
    assert_eq!(browser.evaluate("document.images.length"), 0);
    browser.open(&folder.0.join("run.svg"));
    is_quiet(&browser);
    let title = browser.evaluate("document.querySelector('title').textContent");
    assert!(title.as_str().unwrap().starts_with("</script>"), "{title}");
}

#[test]
fn runs_without_a_step_have_a_page_too() {
    let folder = Folder::with_example("neyman-pearson");
    // One gradient is less than the first step of this method takes.
    let limited = ["--method", "apdb", "--max-gradients", "1", "--json", "run.json", "--plot", "run.svg"];
    assert_eq!(solve(&folder, &limited), Some(1));
    let summary: serde_json::Value = serde_json::from_str(&folder.read("run.json")).unwrap();
    assert_eq!(summary["steps"], 0, "{summary}");
    let page = folder.read("run.html");
    assert!(
        page.contains("IterationLimit") && page.contains("The limit on gradients was reached."),
        "{page}"
    );
    assert!(folder.read("run.svg").contains("nothing to show"));
    let Some(mut browser) = Browser::start() else { return };
    browser.set_view(1280, "light");
    browser.open(&folder.0.join("run.html"));
    is_quiet(&browser);
    let ready = browser.evaluate("document.documentElement.dataset.ready");
    assert_eq!(ready, browser.evaluate("String(document.querySelectorAll('figure').length)"));
    for chart in ["gap", "bounds"] {
        browser.point_at(&format!("#chart-{chart} svg.by-gradients"));
    }
    browser.screenshot(&seen("no-step.png"));
    is_quiet(&browser);
}

#[test]
fn what_cannot_be_written_is_said_before_the_run() {
    let folder = Folder::with_example("qcqp");
    let solve = |options: &[&str]| {
        let arguments: Vec<&str> =
            ["solve", "problem.toml", "--quiet"].iter().chain(options).copied().collect();
        run(&folder.0, &arguments)
    };
    for options in [["--report", "no/such/run.html"], ["--plot", "no/such/run.svg"]] {
        let refused = solve(&options);
        assert_eq!(refused.code, Some(3));
        assert!(refused.stderr.contains("there is no folder no/such"), "{}", refused.stderr);
    }
    for name in ["run.png", "run.pdf", "run", "-"] {
        let refused = solve(&["--plot", name, "--json", "run.json"]);
        assert_eq!(refused.code, Some(3));
        let message = format!("error: {name}: --plot writes SVG; give a name that ends in .svg");
        assert!(refused.stderr.starts_with(&message), "{}", refused.stderr);
        assert!(!folder.0.join("run.json").exists() && !folder.0.join(name).exists());
    }
    if cfg!(target_os = "linux") {
        let full = solve(&["--report", "/dev/full", "--plot", "run.svg", "--json", "run.json"]);
        assert_eq!(full.code, Some(3));
        assert!(
            full.stderr.contains("/dev/full: cannot be written: No space left on device"),
            "{}",
            full.stderr
        );
        assert!(!folder.0.join("run.svg").exists() && !folder.0.join("run.json").exists());
    }
}

#[test]
fn long_runs_are_thinned() {
    let folder = Folder::with_example("lp");
    let tolerances = ["--eps-rel", "0", "--eps-abs", "1e-300", "--eps-feas", "1e-300"];
    let options =
        [&["--method", "primal-dual", "--max-gradients", "200000", "--plot", "run.svg"], &tolerances[..]];
    assert_eq!(solve(&folder, &options.concat()), Some(1));
    let page = folder.read("run.html");
    // 200 000 iterations in batches of 64.
    assert!(page.contains("looked at 3125 times; one in 2 is shown"));
    assert!(page.contains("too often to mark") && !page.contains("class=\"restart\""));
    assert!(page.len() < 2_000_000, "{}", page.len());
    assert!(folder.read("run.svg").len() < 200_000);
    let Some(mut browser) = Browser::start() else { return };
    looks_right(&mut browser, &folder, "long");
}

#[test]
fn the_browser_tells_of_errors_and_requests() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = Folder::new();
    let bad = "<!doctype html><title>bad</title><img src=\"http://127.0.0.1:9/x.png\"><script>console.error('a'); nothing();</script>";
    folder.write("bad.html", bad);
    browser.open(&folder.0.join("bad.html"));
    let complaints = browser.complaints().join("\n");
    assert!(
        complaints.contains("consoleAPICalled") && complaints.contains("exceptionThrown"),
        "{complaints}"
    );
    assert!(browser.requests().contains(&"http://127.0.0.1:9/x.png".to_owned()), "{:?}", browser.requests());
}
