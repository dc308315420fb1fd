//! A browser without a window, driven through its debugging protocol: what it shows, and what it complains about.

mod socket;

use crate::common::Folder;
use serde_json::{Value, json};
use socket::Socket;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Names under which distributions have it.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// How long it may take to start or answer: machines differ.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running browser with one page.
pub struct Browser {
    child: Child,
    _profile: Folder,
    socket: Socket,
    session: String,
    calls: u64,
    events: Vec<Value>,
}

impl Browser {
    /// `None`, said loudly, where this machine has no browser; CI must have one.
    pub fn start() -> Option<Self> {
        let Some(program) = find() else {
            let message =
                "no chromium on this machine: pages of --report were NOT opened (apt-get install chromium)";
            assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "{message}");
            // Not by eprintln, which tests that pass keep to themselves.
            let _ = writeln!(std::io::stderr(), "\n*** SKIPPED: {message} ***\n");
            return None;
        };
        let profile = Folder::new();
        let child = Command::new(program)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-quic",
            ])
            .args(["--hide-scrollbars", "--force-device-scale-factor=1", "--remote-debugging-port=0"])
            .arg(format!("--user-data-dir={}", profile.0.display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser starts");
        let (port, path) = address(&profile.0);
        let socket = Socket::connect(port, &path, PATIENCE);
        let mut browser =
            Self { child, _profile: profile, socket, session: String::new(), calls: 0, events: Vec::new() };
        let target = browser.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", &attach);
        browser.session = attached["sessionId"].as_str().expect("a session").to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        Some(browser)
    }

    /// Opens a file and waits until it is loaded.
    pub fn open(&mut self, path: &Path) {
        self.events.clear();
        self.call("Page.navigate", &json!({ "url": format!("file://{}", path.display()) }));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let message = self.receive();
            self.events.push(message);
        }
    }

    /// The value of an expression on the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let answer =
            self.call("Runtime.evaluate", &json!({ "expression": expression, "returnByValue": true }));
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Sets the width of the window and `light` or `dark`, which users' systems choose.
    pub fn set_view(&mut self, width: u32, scheme: &str) {
        let metrics = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &metrics);
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", &json!({ "media": "", "features": features }));
    }

    /// Shows the page as it would be printed.
    pub fn show_on_paper(&mut self) {
        let features = json!([{ "name": "prefers-color-scheme", "value": "dark" }]);
        self.call("Emulation.setEmulatedMedia", &json!({ "media": "print", "features": features }));
    }

    /// Moves the pointer to the middle of the first element that a selector finds.
    pub fn point_at(&mut self, selector: &str) {
        self.evaluate(&format!("document.querySelector({selector:?}).scrollIntoView({{ block: 'center' }})"));
        let place = format!(
            "(() => {{ const b = document.querySelector({selector:?}).getBoundingClientRect(); \
             return [b.left + b.width / 2, b.top + b.height / 2]; }})()"
        );
        let place = self.evaluate(&place);
        let event = json!({ "type": "mouseMoved", "x": place[0], "y": place[1] });
        self.call("Input.dispatchMouseEvent", &event);
    }

    /// The whole page as a picture.
    pub fn screenshot(&mut self, path: &Path) {
        let options = json!({ "format": "png", "captureBeyondViewport": true });
        let answer = self.call("Page.captureScreenshot", &options);
        save(path, &answer);
    }

    /// The page as it would be printed.
    pub fn print(&mut self, path: &Path) {
        let answer =
            self.call("Page.printToPDF", &json!({ "preferCSSPageSize": true, "printBackground": false }));
        save(path, &answer);
    }

    /// Errors and warnings since the page was opened.
    pub fn complaints(&self) -> Vec<String> {
        let complaint = |event: &Value| {
            let parameters = &event["params"];
            let level = match event["method"].as_str() {
                Some("Runtime.exceptionThrown") => "error",
                Some("Runtime.consoleAPICalled") => parameters["type"].as_str().unwrap_or_default(),
                Some("Log.entryAdded") => parameters["entry"]["level"].as_str().unwrap_or_default(),
                _ => "",
            };
            matches!(level, "error" | "warning" | "assert").then(|| event.to_string())
        };
        self.events.iter().filter_map(complaint).collect()
    }

    /// All that was asked for since the page was opened, the page included.
    pub fn requests(&self) -> Vec<String> {
        let request = |event: &Value| {
            (event["method"] == "Network.requestWillBeSent")
                .then(|| event["params"]["request"]["url"].as_str().unwrap_or_default().to_owned())
        };
        self.events.iter().filter_map(request).collect()
    }

    fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.calls += 1;
        let mut message = json!({ "id": self.calls, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.socket.send(&message.to_string());
        loop {
            let answer = self.receive();
            if answer["id"] == self.calls {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    fn receive(&mut self) -> Value {
        serde_json::from_str(&self.socket.receive()).expect("the browser speaks JSON")
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn find() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let places = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| place.is_file())
}

/// Where it listens, which it writes into its folder once it does.
fn address(profile: &Path) -> (u16, String) {
    let started = Instant::now();
    loop {
        let text = std::fs::read_to_string(profile.join("DevToolsActivePort")).unwrap_or_default();
        let mut lines = text.lines();
        if let (Some(Ok(port)), Some(path)) = (lines.next().map(str::parse), lines.next()) {
            return (port, path.to_owned());
        }
        assert!(started.elapsed() < PATIENCE, "the browser does not start");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn save(path: &Path, answer: &Value) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
    let bytes = decode(answer["data"].as_str().expect("a file"));
    std::fs::write(path, bytes).expect("it can be written");
}

/// Base64, as the protocol sends files.
fn decode(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u8> = text.bytes().filter_map(digit).collect();
    let bytes = |group: &[u8]| {
        let bits = group.iter().fold(0u32, |bits, d| bits << 6 | u32::from(*d)) << (6 * (4 - group.len()));
        bits.to_be_bytes()[1..group.len()].to_vec()
    };
    digits.chunks(4).flat_map(bytes).collect()
}

#[test]
fn base64_comes_back() {
    assert_eq!(decode("aGVsbG8gd29ybGQ="), b"hello world");
    assert_eq!(decode("AP+A/w=="), [0, 255, 128, 255]);
}
