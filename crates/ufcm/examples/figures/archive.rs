//! Reads .npz files.

use npyz::npz::file_name_from_array_name;
use npyz::{NpyFile, Order};
use std::error::Error;
use std::fs::File;
use std::path::Path;
use zip::ZipArchive;

pub struct Array {
    pub shape: Vec<usize>,
    pub values: Vec<f64>,
}

impl Array {
    /// Entry j along the first axis.
    pub fn block(&self, j: usize) -> &[f64] {
        let length = self.values.len() / self.shape[0];
        &self.values[j * length..][..length]
    }
}

/// An .npz file: a zip of .npy files.
pub struct Archive(ZipArchive<File>);

impl Archive {
    pub fn open(path: &Path) -> Result<Self, Box<dyn Error>> {
        Ok(Self(ZipArchive::new(File::open(path)?)?))
    }

    pub fn array(&mut self, name: &str) -> Result<Array, Box<dyn Error>> {
        let file = NpyFile::new(self.0.by_name(&file_name_from_array_name(name))?)?;
        if file.order() != Order::C {
            return Err(format!("{name}: not stored by rows").into());
        }
        let shape = file.shape().iter().map(|&length| length as usize).collect();
        Ok(Array { shape, values: file.into_vec()? })
    }

    pub fn optimum(&mut self) -> Result<Option<f64>, Box<dyn Error>> {
        let known = self.0.index_for_name(&file_name_from_array_name("optimum")).is_some();
        Ok(if known { Some(self.array("optimum")?.values[0]) } else { None })
    }
}
