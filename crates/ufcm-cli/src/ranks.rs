//! Ranks of MPI, where the command was built with them (`--features mpi`): `mpirun -n 4 ufcm solve problem.toml --mpi`.

use crate::arguments::SolveOptions;
use crate::failure::{Failure, Outcome};
use crate::number::counted;
use std::sync::Arc;
use ufcm::ranks::Link;

/// This rank.
pub(crate) struct Ranks {
    link: Arc<Link>,
    /// Ends MPI when it goes, which must be after the link.
    #[cfg(feature = "mpi")]
    _mpi: ufcm_mpi::Ranks,
}

impl Ranks {
    /// Starts MPI.
    #[cfg(feature = "mpi")]
    pub(crate) fn start() -> Outcome<Self> {
        let mpi = ufcm_mpi::Ranks::start()?;
        Ok(Self { link: Link::new(mpi.communicator()), _mpi: mpi })
    }

    /// There is none.
    #[cfg(not(feature = "mpi"))]
    pub(crate) fn start() -> Outcome<Self> {
        let build = "cargo build --release --features mpi, where OpenMPI or MPICH and libclang are installed";
        Err(Failure::new(format!("--mpi: this ufcm was built without MPI; build it with {build}")))
    }

    pub(crate) fn link(&self) -> &Arc<Link> {
        &self.link
    }

    /// What this rank is to do: rank 0 shows and writes, the others work.
    pub(crate) fn options(&self, asked: &SolveOptions) -> SolveOptions {
        let mut options = asked.clone();
        if self.link.rank() > 0 {
            for output in [
                &mut options.json,
                &mut options.solution,
                &mut options.certificate,
                &mut options.report,
                &mut options.plot,
                &mut options.trace,
            ] {
                *output = None;
            }
            (options.quiet, options.verbose) = (true, false);
        }
        // The cores of the machine are shared, unless something was said of threads.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let own = (cores / ranks_here()).max(1);
        options.limits.threads = options.limits.threads.or(Some(own));
        options
    }

    /// Ends all ranks, since this one cannot go on: the others would wait for it.
    pub(crate) fn abort(&self, failure: &Failure) -> ! {
        // What all ranks have found rank 0 tells; it ends the others before they do.
        if self.link.rank() > 0 {
            std::thread::sleep(std::time::Duration::from_millis(500));
        }
        let rank = self.link.rank();
        crate::console::complain(format_args!("rank {rank}: {failure}"));
        let _none_is_made = crate::output::abandon();
        end(failure.exit() as i32)
    }

    /// What was exchanged, in a sentence.
    pub(crate) fn told(&self) -> String {
        let (size, traffic) = (self.link.size(), self.link.traffic());
        let (reductions, bytes, seconds) = (traffic.reductions, traffic.bytes, traffic.seconds);
        let ranks = counted(size, "rank");
        format!("{ranks}: {reductions} sums over all of them, of {bytes} bytes, {seconds:.3} s in them")
    }
}

/// The ranks on this machine, as those who started them tell.
fn ranks_here() -> usize {
    let told = ["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"];
    let number = told.iter().find_map(|name| std::env::var(name).ok()?.parse().ok());
    number.unwrap_or(1).max(1)
}

#[cfg(feature = "mpi")]
fn end(code: i32) -> ! {
    ufcm_mpi::abort(code)
}

#[cfg(not(feature = "mpi"))]
fn end(code: i32) -> ! {
    std::process::exit(code)
}
