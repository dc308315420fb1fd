//! Problem files: a [`Problem`] in TOML, with its data beside it. `docs/problem-format.md` is the
//! manual.
//!
//! What is read is read strictly: a key that nobody asks for, a wrong type, missing data and sizes that do not fit are
//! errors that show the line, with the nearest valid name.

mod array;
mod blame;
mod blocks;
mod components;
mod constraints;
mod data;
mod error;
mod errors;
mod files;
mod given;
mod groups;
mod labels;
mod node;
mod one_file;
mod prepared;
mod regularisers;
mod rows;
mod shards;
mod shares;
mod tables;
mod tabular;
mod terms;
mod transform;
mod variables;

pub use error::ProblemFileError;
pub use prepared::{Feature, NamedLoss, Offset, Prepared};

use crate::paths::Base;
use crate::source::Source;
use blocks::Blocks;
use components::Context;
use data::DataSet;
use error::Text;
use errors::Errors;
use files::Files;
use labels::Labels;
use node::{Node, Section};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;
use terms::Parts;
use toml::de::DeTable;
use ufcm::catalogue;
use ufcm::mapping::Affine;
use ufcm::oracle::{Component, Mapping};
use ufcm::problem::Problem;
use ufcm::ranks::Link;
use variables::Variables;

type Result<T> = std::result::Result<T, ProblemFileError>;

/// What a problem file states.
#[derive(Debug)]
pub struct ProblemFile {
    /// The problem's name, if the file gives one.
    pub name: Option<String>,
    /// The problem.
    pub problem: Problem,
    /// The names of the variables, where the file or its data tell.
    pub variables: Option<Vec<String>>,
    /// The rows that stand for one component each of a term of several, with the component's name: problems themselves know
    /// the names of terms.
    pub component_names: BTreeMap<usize, String>,
    /// How the columns of the data became the variables, where they all come from one table.
    pub prepared: Option<Prepared>,
    /// What was done to the data that are used, in sentences.
    pub preparation: Vec<String>,
    /// Losses that no row of the problem stands for alone: those of sums, and those of some of the variables. None where ranks share samples.
    pub losses: Vec<NamedLoss>,
    /// What is lawful but probably not meant, in sentences for the user.
    pub notes: Vec<String>,
}

/// Reads a problem file; the files it names are looked for under `base`.
///
/// ```
/// use ufcm_io::paths::Base;
/// use ufcm_io::{Source, problem_file};
///
/// let text = r#"
/// [components.cost]
/// kind = "linear"
/// linear = [1, 2]
///
/// [components.energy]
/// kind = "quadratic"
/// diagonal = [2, 2]
///
/// [objective]
/// minimise = "cost"
///
/// [[constraints]]
/// component = "energy"
/// at_most = 1
/// "#;
/// let file = problem_file::read(&Source::from_bytes("p.toml", text.into())?, &Base::new("."))?;
/// assert_eq!(file.problem.row_names(), ["objective", "energy"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// All that is wrong, each with its place, up to 20 things.
pub fn read(source: &Source, base: &Base) -> Result<ProblemFile> {
    read_over(source, base, None)
}

/// As [`read`], on one of several ranks: of every data set each rank takes its share of the rows. All ranks read the same file, together. Of CSV, LIBSVM, Parquet,
/// `.npy` and mapped data a rank reads its own rows alone; of other files it keeps them. What is wrong with the rows of one rank is told to all.
///
/// # Errors
/// As [`read`], and what is wrong on another rank.
pub fn read_over(source: &Source, base: &Base, link: Option<&Arc<Link>>) -> Result<ProblemFile> {
    let name = source.name();
    let bad_text = |error: crate::ReadError| {
        Text { name, text: "" }.error(
            0..0,
            format!("{}, line {}", error.fault, error.place.line.unwrap_or(1)),
            None,
        )
    };
    let text = Text { name, text: source.text().map_err(bad_text)? };
    let table = DeTable::parse(text.text).map_err(|error| {
        let message = error.message().lines().collect::<Vec<_>>().join(", ");
        text.error(error.span().unwrap_or(0..0), message, None)
    })?;
    let root = Section::root(text, table.get_ref());
    let failed = Cell::new(false);
    let files = Files { base, link: link.map(|link| &**link), failed: &failed };
    let read = Reader { root: &root, files, link }.read();
    if let (Err(error), Some(link), false) = (&read, link, failed.get()) {
        // The others hear of it in their next exchange; what that answers is the same error.
        let _told = link.gather(Err(&error.message));
    }
    read
}

struct Reader<'r, 'a> {
    root: &'r Section<'a>,
    files: Files<'r>,
    link: Option<&'r Arc<Link>>,
}

impl<'a> Reader<'_, 'a> {
    fn read(&self) -> Result<ProblemFile> {
        let errors = Errors::default();
        let name = self.root.get("name").map(|node| node.text().map(str::to_owned)).transpose();
        let name = errors.take(name).flatten();
        let [data, components, affine] = ["data", "components", "affine"].map(|key| self.root.get(key));
        let [variables, objective, terms, constraints, regulariser, domain] =
            ["variables", "objective", "terms", "constraints", "regulariser", "domain"]
                .map(|key| self.root.get(key));
        errors.take(self.root.finish());

        let variables = self.variables(variables.as_ref(), &errors);
        let data = self.data_sets([data.as_ref(), components.as_ref(), affine.as_ref()], &errors)?;
        let link = self.link.map(|link| &**link);
        let notes = data.values().flatten().flat_map(|set| set.notes.clone()).collect();
        let (notes, uses) = (RefCell::new(notes), RefCell::default());
        let mut context = Context { files: self.files, data, variables, link, notes, uses };
        let mut sizes = Sizes::new(&context.variables);
        let (components, affine) =
            functions(&mut context, &mut sizes, [components.as_ref(), affine.as_ref()], &errors);
        let n = sizes.known();
        let names = n.and_then(|n| feature_names(&context, n));
        let (intercept, prepared) =
            (n.and_then(|n| intercept(&context, n)), n.and_then(|n| prepared_for(&context, n)));
        let preparation = preparation(&context);
        let Context { files, variables, notes, uses, .. } = context;
        let variables = variables.named_by(names, intercept);

        let mut blocks = Blocks {
            parts: Parts::new(&files, components, affine),
            places: Vec::new(),
            term_components: Vec::new(),
        };
        let nothing = || Problem::over(n.unwrap_or(0));
        let mut builder = match objective {
            None => nothing(),
            Some(node) => errors.take(blocks.objective(node)).unwrap_or_else(nothing),
        };
        builder = errors.take(blocks.terms(builder, terms.as_ref(), &errors)).unwrap_or_else(nothing);
        builder =
            errors.take(blocks.constraints(builder, constraints.as_ref(), &errors)).unwrap_or_else(nothing);
        builder = blocks.regularisers(builder, [regulariser, domain], n, &variables, &errors);
        errors.finish()?;
        if let Some(link) = self.link {
            // What failed on one of them has failed on all, from here on.
            self.files.agree(self.root)?;
            builder = builder.over_ranks(link);
        }
        let problem = builder.build().map_err(|error| blocks.locate(&error, self.root))?;
        let variables = variables.names.filter(|names| names.len() == problem.dimension());
        let notes = notes.take().into_iter().chain(blocks.parts.unused()).collect();
        let component_names = blocks.component_names(&problem);
        let losses = if self.link.is_some() { Vec::new() } else { uses.into_inner().losses };
        let losses = blocks.parts.told_by_themselves(losses);
        Ok(ProblemFile { name, variables, component_names, prepared, preparation, losses, notes, problem })
    }

    fn variables(&self, node: Option<&Node<'a>>, errors: &Errors) -> Variables<'a> {
        let length = self.root.text.text.len();
        node.and_then(|node| errors.take(Variables::read(node, length))).unwrap_or_default()
    }

    /// Reads `[data]`, which components and affine blocks use.
    fn data_sets(
        &self,
        [data, components, affine]: [Option<&Node<'a>>; 3],
        errors: &Errors,
    ) -> Result<BTreeMap<String, Option<DataSet>>> {
        let whole = errors.take(self.used_whole(components, affine)).unwrap_or_default();
        let sets = each(data, errors, |node| {
            let is_whole = whole.iter().any(|name| node.path == format!("data.{name}"));
            let files = Files { link: self.files.link.filter(|_| !is_whole), ..self.files };
            Some(DataSet::read(&files, node))
        });
        errors.finish_if_shared(self.link.is_some())?;
        Ok(sets)
    }

    /// The data sets of which every rank needs all rows: those of affine blocks, and of components that are no sum over samples.
    fn used_whole(&self, components: Option<&Node<'a>>, affine: Option<&Node<'a>>) -> Result<Vec<&'a str>> {
        let mut whole = Vec::new();
        for (node, sums) in [(components, true), (affine, false)] {
            let Some(node) = node.filter(|_| self.link.is_some()) else { continue };
            for (_, node) in node.section()?.named() {
                let Ok(section) = node.section() else { continue };
                let kind = section.get("kind").and_then(|kind| catalogue::component(kind.text().ok()?));
                let is_sum =
                    |kind: &catalogue::Kind| kind.fields.iter().any(|field| field.name == "reduction");
                if !(sums && kind.is_some_and(|entry| is_sum(&entry.kind))) {
                    whole.extend(section.get("data").and_then(|data| data.text().ok()));
                }
            }
        }
        Ok(whole)
    }
}

/// Components and affine blocks by name; those that are wrong are there without what they would be.
type Functions = (BTreeMap<String, Option<Arc<dyn Component>>>, BTreeMap<String, Option<Affine>>);

/// Reads components and affine blocks, those of all variables first: they tell how many there are, and what they are called.
fn functions(
    context: &mut Context<'_>,
    sizes: &mut Sizes,
    [components, affine]: [Option<&Node<'_>>; 2],
    errors: &Errors,
) -> Functions {
    let (mut functions, mut rows) = (BTreeMap::new(), BTreeMap::new());
    for of_some in [false, true] {
        let is_next = |node: &Node<'_>| of_some == node.section().is_ok_and(|part| part.has("variables"));
        // A section that is none is told of once.
        let [components, affine] =
            [components, affine].map(|section| section.filter(|all| !of_some || all.is_table()));
        functions.extend(each(components, errors, |node| {
            is_next(node).then(|| {
                let component = context.component(node)?;
                sizes.check(node, component.dimension())?;
                Ok(component)
            })
        }));
        rows.extend(each(affine, errors, |node| {
            is_next(node).then(|| {
                let block = context.affine(node)?;
                sizes.check(node, block.dimension())?;
                Ok(block)
            })
        }));
        if let Some(n) = sizes.known().filter(|_| !of_some) {
            let (names, intercept) = (feature_names(context, n), intercept(context, n));
            context.variables = std::mem::take(&mut context.variables).named_by(names, intercept).of(n);
        }
    }
    (functions, rows)
}

/// Reads each entry of a section whose keys are the user's names; those that are wrong are there without a value, those that are not to be read are not.
fn each<'a, T>(
    section: Option<&Node<'a>>,
    errors: &Errors,
    mut read: impl FnMut(&Node<'a>) -> Option<Result<T>>,
) -> BTreeMap<String, Option<T>> {
    let entries =
        section.and_then(|node| errors.take(node.section())).map_or(Vec::new(), |section| section.named());
    entries.into_iter().filter_map(|(name, node)| Some((name, errors.take(read(&node)?)))).collect()
}

/// The number of variables, and who said so first.
struct Sizes {
    first: Option<(usize, String)>,
}

impl Sizes {
    fn new(variables: &Variables<'_>) -> Self {
        Self { first: variables.count.as_ref().map(|(count, node)| (*count, node.path.clone())) }
    }

    fn check(&mut self, node: &Node<'_>, n: usize) -> Result<()> {
        match &self.first {
            Some((expected, who)) if *expected != n => {
                Err(node.error(format!("it has {n} variables; {who} has {expected}")))
            }
            Some(_) => Ok(()),
            None => {
                self.first = Some((n, node.path.clone()));
                Ok(())
            }
        }
    }

    fn known(&self) -> Option<usize> {
        self.first.as_ref().map(|(n, _)| *n)
    }
}

/// How the columns of the table that the variables belong to became variables; `None` where tables are used whose columns became other ones.
fn prepared_for(context: &Context<'_>, n: usize) -> Option<Prepared> {
    let uses = context.uses.borrow();
    let mut own = context.data.iter().filter(|(name, _)| uses.has(name)).map(|(name, data)| {
        let data = data.as_ref()?;
        let names = match &data.label {
            Some(Labels::Classes { names, .. }) => Some(names.as_slice()),
            _ => None,
        };
        uses.prepared(name, &data.prepared, names, n)
    });
    let first = own.next()??;
    own.all(|other| other.as_ref() == Some(&first)).then_some(first)
}

/// What was done to the data that are used; by name where it is not the same for all.
fn preparation(context: &Context<'_>) -> Vec<String> {
    let uses = context.uses.borrow();
    let used = context.data.iter().filter(|(name, _)| uses.has(name));
    let told: Vec<(&String, &Prepared, String)> = used
        .filter_map(|(name, data)| {
            let own = &data.as_ref()?.prepared;
            // Matrices without names of columns are told of as far as something was done to them.
            Some((name, own, own.told()?))
        })
        .collect();
    match &told[..] {
        [] => Vec::new(),
        [(_, first, sentence), rest @ ..] if rest.iter().all(|(_, own, _)| own == first) => {
            vec![sentence.clone()]
        }
        all => all.iter().map(|(name, _, sentence)| format!("{name}: {sentence}")).collect(),
    }
}

/// The variable of the column of ones of data over all variables.
fn intercept(context: &Context<'_>, n: usize) -> Option<usize> {
    let mut sets = context.data.values().flatten();
    sets.find(|set| set.has_intercept && set.matrix.columns() == n).map(|_| n - 1)
}

/// The names of the features of the data that the variables belong to.
fn feature_names(context: &Context<'_>, n: usize) -> Option<Vec<String>> {
    let sets = || context.data.values().flatten();
    let own = sets().map(|data| &data.features).find(|names| names.len() == n).cloned();
    // The weights of classes stand one class after the other.
    let classes = |data: &DataSet| match &data.label {
        Some(Labels::Classes { names, .. }) if names.len() * data.features.len() == n => {
            let of_class = |class: &String| -> Vec<String> {
                data.features.iter().map(|feature| format!("{class}: {feature}")).collect()
            };
            Some(names.iter().flat_map(of_class).collect())
        }
        _ => None,
    };
    own.or_else(|| sets().find_map(classes))
}
