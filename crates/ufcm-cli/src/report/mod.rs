//! A run as something to look at: a page with charts and tables, and a picture of its convergence.

mod answer;
mod chart;
mod data;
mod escape;
mod figures;
mod page;
mod picture;
mod rows;
#[cfg(test)]
mod samples;
mod scale;
mod tables;

pub(crate) use page::page;
pub(crate) use picture::picture;
