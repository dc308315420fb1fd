//! Problems whose answers were once wrong, by what was wrong. The short tier runs them all.

use crate::family::Key;

/// `Certified` with an objective away from its bound or from the optimum.
const CERTIFIED: &[&str] = &[
    "blend:27",
    "blend:72",
    "blend:124",
    "blend:196",
    "hopeless:81",
    "infeasible:13",
    "infeasible:20",
    "infeasible:34",
    "infeasible:39",
    "infeasible:47",
    "infeasible:66",
    "infeasible:73",
    "infeasible:81",
    "infeasible:95",
    "infeasible:117",
    "infeasible:128",
    "infeasible:129",
    "infeasible:153",
    "infeasible:155",
    "infeasible:159",
    "infeasible:166",
    "infeasible:176",
    "infeasible:182",
    "infeasible:186",
    "infeasible:188",
    "large:2",
    "large:16",
    "lp:157",
    "lp:177",
    "lp:246",
    "planted:57",
    "planted:89",
    "planted:138",
    "quadratic:14",
    "quadratic:26",
    "quadratic:35",
    "quadratic:96",
    "quadratic:113",
    "quadratic:131",
    "quadratic:134",
    "quadratic:1293",
    "ranked:10",
    "ranked:47",
    "ranked:49",
    "twin:28",
    "twin:41",
    "twin:61",
    "twin:156",
    "twin:169",
    "twin:179",
    "twin:209",
    "twin:229",
    "twin:237",
    "unlike:8",
    "unlike:49",
    "unlike:53",
    "blend:1319",
    "blend:1565",
    "lp:529",
    "planted:2056",
    "twin:795",
    "twin:2730",
    "unlike:645",
];

/// `Solved` away from the optimum, or unbounded in truth.
const SOLVED: &[&str] = &[
    "hopeless:0",
    "hopeless:19",
    "hopeless:42",
    "hopeless:61",
    "large:17",
    "lp:53",
    "lp:74",
    "lp:112",
    "lp:125",
    "lp:178",
    "lp:338",
    "planted:15",
    "planted:23",
    "planted:69",
    "planted:141",
    "planted:162",
    "planted:171",
    "ranked:68",
    "ray:5",
    "ray:15",
    "ray:17",
    "ray:34",
    "ray:82",
    "twin:22",
    "twin:78",
    "twin:142",
    "twin:155",
    "twin:198",
    "twin:214",
    "twin:278",
    "blend:625",
    "blend:929",
    "lp:24",
    "lp:2307",
    "lp:2975",
    "planted:910",
    "planted:1387",
    "planted:2117",
    "twin:1298",
    "unlike:220",
    "unlike:409",
];

/// `Unbounded`, infeasible or bounded in truth.
const UNBOUNDED: &[&str] = &[
    "infeasible:210",
    "infeasible:671",
    "infeasible:814",
    "infeasible:1167",
    "infeasible:611",
    "infeasible:825",
    "infeasible:916",
    "infeasible:1603",
    "lp:29",
    "twin:196",
];

/// `Infeasible`, with a solution far out.
const INFEASIBLE: &[&str] = &["lp:488", "lp:1335", "lp:1989"];

/// Told of a point or proven by a certificate what does not hold.
const TOLD: &[&str] = &["blend:1923", "infeasible:611", "infeasible:1137", "unlike:1652"];

/// Panics.
const PANICKED: &[&str] =
    &["infeasible:97", "infeasible:61", "infeasible:139", "infeasible:144", "infeasible:161", "lp:303"];

/// Infeasible, and not proven once.
const UNPROVEN: &[&str] = &[
    "infeasible:134",
    "infeasible:328",
    "infeasible:616",
    "infeasible:632",
    "infeasible:941",
    "infeasible:1183",
    "infeasible:1248",
    "infeasible:1625",
    "infeasible:1901",
    "twin:1604",
    "twin:2484",
];

/// Unbounded, and not found to be once.
const RAYS: &[&str] = &["ray:41", "ray:214", "ray:355", "ray:577", "ray:632", "ray:915"];

/// Solved by no method that was chosen, but by one from the start.
const RESCUED: &[&str] = &["blend:4", "blend:62", "planted:71", "infeasible:47"];

pub fn rescued() -> impl Iterator<Item = Key> {
    RESCUED.iter().map(|key| key.parse().unwrap())
}

/// Those whose infeasibility, or ray, was once not found.
pub fn settled() -> impl Iterator<Item = Key> {
    [UNPROVEN, RAYS].into_iter().flatten().map(|key| key.parse().unwrap())
}

pub fn keys() -> impl Iterator<Item = Key> {
    let all = [CERTIFIED, SOLVED, UNBOUNDED, INFEASIBLE, TOLD, PANICKED];
    all.into_iter().flatten().map(|key| key.parse().unwrap())
}
