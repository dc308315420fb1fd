//! Sets and penalties of every kind, each with a point planted in it.

use super::Plan;
use crate::describe::{Domain, Penalty, Set, norm};

impl Plan {
    /// Chooses u and X, and the planted point in it.
    pub fn domain(&mut self) -> Domain {
        let weight = self.random.within(0.02, 1.0);
        let ridge = self.random.within(0.02, 1.0);
        self.inside = self.random.vector(self.n, 1.0);
        let (penalty, set) = match self.random.below(14) {
            0 => (Penalty::None, self.box_around()),
            1 => (Penalty::L1(weight), self.box_around()),
            2 => (Penalty::Ridge(ridge), self.box_around()),
            3 => (Penalty::None, self.ball_around()),
            4 => (Penalty::None, self.simplex_through()),
            5 => {
                let size: f64 = self.inside.iter().map(|x| x.abs()).sum();
                (Penalty::None, Set::L1Ball { radius: size * self.random.within(1.0, 2.0) + 0.1 })
            }
            6 => (Penalty::Ridge(ridge), Set::Free),
            7 => (Penalty::ElasticNet { l1: weight, ridge }, Set::Free),
            8 => (Penalty::Ridge(ridge), self.nonnegative()),
            9 => (Penalty::L1(weight), self.nonnegative()),
            10 => (Penalty::L1(weight), Set::Free),
            11 => (self.groups(weight), Set::Free),
            12 => (Penalty::L2(weight), Set::Free),
            _ => (Penalty::Linf(weight), Set::Free),
        };
        Domain { penalty, set }
    }

    /// A box, flat in a few coordinates, on whose boundary the planted point may lie.
    pub fn box_around(&mut self) -> Set {
        let flat: Vec<bool> = (0..self.n).map(|_| self.random.chance(0.05)).collect();
        let mut side = |x: f64, i: usize, sign: f64| {
            let touches = flat[i] || self.random.chance(0.1);
            if touches { x } else { x + sign * self.random.within(0.1, 1.5) }
        };
        let lower = self.inside.iter().enumerate().map(|(i, x)| side(*x, i, -1.0)).collect();
        let upper = self.inside.iter().enumerate().map(|(i, x)| side(*x, i, 1.0)).collect();
        Set::Box { lower, upper }
    }

    fn ball_around(&mut self) -> Set {
        let centre = self.random.vector(self.n, 0.5);
        let distance = norm(self.inside.iter().zip(&centre).map(|(x, c)| x - c));
        Set::Ball { radius: distance * self.random.within(1.0, 2.0) + 0.1, centre }
    }

    fn simplex_through(&mut self) -> Set {
        let total = self.random.within(0.5, 3.0);
        let sum: f64 = self.inside.iter().map(|x| x.abs()).sum();
        self.inside.iter_mut().for_each(|x| *x = x.abs() * total / sum);
        Set::Simplex { total }
    }

    fn nonnegative(&mut self) -> Set {
        self.inside.iter_mut().for_each(|x| *x = x.max(0.0));
        Set::Nonnegative
    }

    /// Neighbours in groups of different sizes.
    fn groups(&mut self, weight: f64) -> Penalty {
        let mut groups = Vec::new();
        let mut start = 0;
        while start < self.n {
            let end = (start + 1 + self.random.below(5)).min(self.n);
            groups.push(start..end);
            start = end;
        }
        Penalty::Groups { groups, weight }
    }
}
