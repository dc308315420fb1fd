//! `[variables]`: how many there are, and what they are called; and lists of some of them.

use super::error::ProblemFileError;
use super::files::InFile;
use super::node::Node;
use crate::source::check_dimensions;
use std::ops::Range;

type Result<T> = std::result::Result<T, ProblemFileError>;

/// What `[variables]` says.
#[derive(Default)]
pub(super) struct Variables<'a> {
    /// How many there are, and where that is said.
    pub(super) count: Option<(usize, Node<'a>)>,
    pub(super) names: Option<Vec<String>>,
    /// Variables that stand in a row, under one name.
    blocks: Vec<(String, Range<usize>)>,
    /// The variable of the column of ones, where data have one.
    intercept: Option<usize>,
    /// How many there are, as the functions of all of them tell.
    told: Option<usize>,
}

impl<'a> Variables<'a> {
    /// Reads the section; a file of `length` bytes may not ask for any number of variables.
    pub(super) fn read(node: &Node<'a>, length: usize) -> Result<Self> {
        let section = node.section()?;
        let [count, names, blocks] = ["count", "names", "blocks"].map(|key| section.get(key));
        section.finish()?;
        let texts =
            |node: &Node<'a>| node.texts()?.iter().map(|item| item.text().map(str::to_owned)).collect();
        let listed: Option<Vec<String>> = names.as_ref().map(texts).transpose()?;
        let (mut ranges, mut end) = (Vec::new(), 0usize);
        for (name, size) in blocks.as_ref().map_or(Ok(Vec::new()), |node| Ok(node.section()?.named()))? {
            let start = end;
            end = end.saturating_add(size.count()?);
            ranges.push((name, start..end));
        }
        let from_names = listed.as_ref().map(Vec::len).zip(names);
        let from_blocks = blocks.map(|node| (end, node));
        let from_count = count.map(|node| node.count().map(|count| (count, node))).transpose()?;
        let mut known: Option<(usize, Node<'a>)> = None;
        for (number, node) in [from_count, from_names, from_blocks].into_iter().flatten() {
            match &known {
                Some((other, who)) if *other != number => {
                    let (path, who) = (&node.path, &who.path);
                    return Err(node.error(format!("{path} tells of {number} variables, {who} of {other}")));
                }
                Some(_) => {}
                None => known = Some((number, node)),
            }
        }
        if let Some((count, node)) = &known {
            check_dimensions(length, 0, *count).in_file(node)?;
        }
        let names = listed.or_else(|| (!ranges.is_empty()).then(|| names_of(&ranges)));
        Ok(Self { count: known, names, blocks: ranges, intercept: None, told: None })
    }

    /// With the names that data give to their features, where the section gives none.
    pub(super) fn named_by(mut self, features: Option<Vec<String>>, intercept: Option<usize>) -> Self {
        self.names = self.names.or(features);
        self.intercept = intercept;
        self
    }

    /// There are so many, which functions of all of them tell.
    pub(super) fn of(self, n: usize) -> Self {
        Self { told: Some(n), ..self }
    }

    /// Those of `n` variables that `node` lists: names of blocks, names of variables, indices from 0.
    pub(super) fn listed(&self, node: &Node<'_>, n: usize) -> Result<Vec<usize>> {
        let items = if node.is_array() { node.items()? } else { vec![node.clone()] };
        let mut found = Vec::new();
        for item in &items {
            if item.is_number() {
                let index = item.count()?;
                if index >= n {
                    return Err(item.error(format!("there are {n} variables, counted from 0")));
                }
                found.push(index);
            } else {
                found.extend(self.called(item, n)?);
            }
        }
        let mut sorted = found.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(node.error(format!("variable {} is listed twice", pair[0])));
        }
        Ok(found)
    }

    fn called(&self, item: &Node<'_>, n: usize) -> Result<Vec<usize>> {
        let name = item.text()?;
        if let Some((_, range)) = self.blocks.iter().find(|(block, _)| block == name) {
            return Ok(range.clone().collect());
        }
        let names = self.names.as_deref().filter(|names| names.len() == n).unwrap_or_default();
        if let Some(index) = names.iter().position(|other| other == name) {
            return Ok(vec![index]);
        }
        match self.intercept.filter(|index| name == "intercept" && *index < n) {
            Some(index) => Ok(vec![index]),
            None => {
                let blocks = self.blocks.iter().map(|(block, _)| block.as_str());
                let known: Vec<&str> = blocks.chain(names.iter().map(String::as_str)).collect();
                if known.is_empty() {
                    let help = "give [variables] names or blocks, or the variable's index";
                    return Err(item.error_with(
                        format!("no variable is called \"{name}\"; they have no names"),
                        Some(help.into()),
                    ));
                }
                Err(item.unknown("variable", known))
            }
        }
    }

    /// How many there are, where the section or a function of all of them tells: a component of some of the variables does not.
    pub(super) fn in_all(&self, node: &Node<'_>) -> Result<usize> {
        self.count.as_ref().map(|(count, _)| *count).or(self.told).ok_or_else(|| {
            let help = "give [variables] blocks = { w = 100, b = 1 }, or names, or count";
            node.error_with("how many variables there are in all is not known", Some(help.into()))
        })
    }
}

/// `w[0]`, `w[1]`, ...; a block of one variable has its name.
fn names_of(blocks: &[(String, Range<usize>)]) -> Vec<String> {
    let names = |(name, range): &(String, Range<usize>)| -> Vec<String> {
        match range.len() {
            1 => vec![name.clone()],
            size => (0..size).map(|k| format!("{name}[{k}]")).collect(),
        }
    };
    blocks.iter().flat_map(names).collect()
}
