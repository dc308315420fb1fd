//! Problems of the long tier whose answers were once wrong. The short tier runs them all.

use crate::family::Key;

const FOUND: [&str; 0] = [];

pub fn keys() -> impl Iterator<Item = Key> {
    FOUND.iter().map(|key: &&str| key.parse().unwrap())
}
