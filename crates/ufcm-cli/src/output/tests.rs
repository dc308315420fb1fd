use super::*;

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("ufcm-output-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn names(&self) -> Vec<String> {
        let names = std::fs::read_dir(&self.0).unwrap();
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn open(path: &Path) -> Result<Output, Failure> {
    Output::open(Named::new("--json", path), &Budget::unlimited())
}

#[test]
fn a_file_is_replaced_whole_or_kept() {
    let folder = Folder::new("whole");
    let path = folder.0.join("x.json");
    for text in ["a long first text", "two"] {
        let mut output = open(&path).unwrap();
        output.reserve(10_000).unwrap();
        assert_eq!(folder.names().iter().filter(|name| name.ends_with(".partial")).count(), 1);
        output.write(text.into()).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
    drop(open(&path).unwrap());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
    assert_eq!(folder.names(), ["x.json"], "nothing else is left");
}

#[test]
fn what_cannot_be_opened_is_told_by_option_and_path() {
    let folder = Folder::new("opened");
    let nowhere = folder.0.join("no/such/x.json");
    let told = |path: &Path| open(path).map(|_| ()).unwrap_err().to_string();
    assert!(told(&nowhere).starts_with(&format!("--json {}: there is no folder", nowhere.display())));
    assert!(told(&folder.0).contains("this is a folder"));
    let long = folder.0.join("x".repeat(300));
    assert!(told(&long).contains("cannot be written: "), "{}", told(&long));
    assert!(open(&folder.0.join("y".repeat(250))).is_ok(), "a name that is almost too long");
    assert!(folder.names().is_empty());
}

#[test]
fn content_that_cannot_be_put_in_its_place_stays_beside_it() {
    let folder = Folder::new("beside");
    let path = folder.0.join("x.json");
    let output = open(&path).unwrap();
    std::fs::create_dir_all(path.join("in the way")).unwrap();
    let failure = output.write(b"the answer".to_vec()).unwrap_err().to_string();
    let beside = folder.names().into_iter().find(|name| name.ends_with(".partial")).unwrap();
    assert!(failure.contains("x.json: cannot be written: ") && failure.contains(&beside), "{failure}");
    assert_eq!(std::fs::read(folder.0.join(beside)).unwrap(), b"the answer");
}

#[test]
fn content_is_written_though_the_file_that_held_its_place_is_gone() {
    let folder = Folder::new("tidied");
    let path = folder.0.join("x.json");
    let output = open(&path).unwrap();
    folder.names().iter().for_each(|name| std::fs::remove_file(folder.0.join(name)).unwrap());
    output.write(b"the answer".to_vec()).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"the answer");
    assert_eq!(folder.names(), ["x.json"]);
}

#[cfg(unix)]
#[test]
fn links_lead_to_the_file_and_stay() {
    let folder = Folder::new("links");
    let (path, link) = (folder.0.join("x.json"), folder.0.join("link"));
    std::os::unix::fs::symlink("x.json", &link).unwrap();
    let clash = |path: &Path, input: &Path| {
        refuse_clashes(&[Named::new("--json", path)], &[Named::new("--x0", input)]).is_err()
    };
    // First to a file that is not there yet.
    for _ in 0..2 {
        assert!(clash(&link, &path) && clash(&path, &link) && !clash(&path, &folder.0.join("y")));
        open(&link).unwrap().write(b"text".to_vec()).unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(&path).unwrap(), b"text");
    }
    let hard = folder.0.join("hard");
    std::fs::hard_link(&path, &hard).unwrap();
    assert!(clash(&hard, &link));
}

#[test]
fn outputs_are_different_files() {
    let outputs = |a: &str, b: &str| {
        let clash = refuse_clashes(&[Named::new("--json", a), Named::new("--plot", b)], &[]);
        clash.err().map(|failure| failure.to_string())
    };
    let told = outputs("a.svg", "./a.svg").unwrap();
    assert_eq!(told, "--plot ./a.svg: --json writes to it too (a.svg); give another name");
    assert!(outputs("a.json", "a.svg").is_none());
    assert!(outputs("/dev/null", "/dev/null").is_none());
    assert!(outputs("/dev/full", "/dev/full").is_some());
}
