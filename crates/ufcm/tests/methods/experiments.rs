//! The experiments of docs/experiments.md in their quick form: no observed count exceeds its promise.

#[path = "../../examples/experiments/mod.rs"]
mod suite;

use suite::{EXPERIMENTS, Effort, Sheet, document};

#[test]
fn no_observed_count_exceeds_its_promise() {
    for experiment in &EXPERIMENTS {
        let sheets =
            (experiment.run)(Effort::Quick).unwrap_or_else(|error| panic!("{}: {error}", experiment.name));
        let points = || sheets.iter().flat_map(|sheet| &sheet.series).flat_map(|series| &series.points);
        assert!(points().count() >= 6, "{}: hardly anything was run", experiment.name);
        assert!(points().any(|point| point.promised.is_ok()), "{}: nothing is promised", experiment.name);
        let broken: Vec<String> = sheets.iter().flat_map(Sheet::broken).collect();
        assert!(broken.is_empty(), "{}: promised and not kept: {broken:#?}", experiment.name);
        let svg = document::picture(&sheets);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}: a mark has no place", experiment.name);
        let lines = document::csv(&sheets).lines().count();
        assert_eq!(lines, 1 + points().count(), "{}: one line for each point", experiment.name);
    }
}

#[test]
fn the_document_has_a_section_for_every_experiment() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/experiments.md");
    let document = std::fs::read_to_string(path).expect("docs/experiments.md");
    for experiment in &EXPERIMENTS {
        let name = experiment.name;
        let (begin, end) = (format!("<!-- {name} begins -->"), format!("<!-- {name} ends -->"));
        let (_, rest) = document.split_once(&begin).unwrap_or_else(|| panic!("`{begin}` is missing"));
        let (tables, _) = rest.split_once(&end).unwrap_or_else(|| panic!("`{end}` is missing"));
        assert!(tables.contains("observed / promised"), "{name} has no tables");
        for ending in ["svg", "csv"] {
            let link = format!("experiments/{name}.{ending}");
            assert!(tables.contains(&link), "{link} is not linked");
            let file = format!("{}/../../docs/{link}", env!("CARGO_MANIFEST_DIR"));
            assert!(std::fs::exists(&file).is_ok_and(|exists| exists), "{link} is missing");
        }
    }
}
