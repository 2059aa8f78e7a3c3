//! Polyhedral cones by their lines and rays: the double description method.
//!
//! A cone is the set of sums of any multiples of its lines and non-negative multiples of its rays. Cutting it by a half-space keeps the rays
//! inside and adds, for each pair of adjacent rays on both sides, the point of their plane on the border (Motzkin; N. Chernikova). Two rays are
//! adjacent if no third one lies on all borders that both lie on. The same procedure gives constraints from
//! generators: the constraints that a cone satisfies are a cone, too.

use crate::integer::gcd;
use dashu_int::IBig;

/// Coordinates.
pub(crate) type Row = Vec<IBig>;

/// The most rays that a cone may have; beyond, the work grows without reason.
pub(crate) const MOST_RAYS: usize = 72;
/// The most cuts: one bit for each.
const MOST_CUTS: usize = 128;

/// That a cone became too large to go on with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TooLarge;

/// A ray and the borders that it lies on.
#[derive(Clone, Debug)]
struct Ray {
    row: Row,
    on: u128,
}

/// A cone.
#[derive(Clone, Debug)]
pub(crate) struct Cone {
    lines: Vec<Row>,
    rays: Vec<Ray>,
    cuts: usize,
}

/// The scalar product.
pub(crate) fn dot(a: &[IBig], b: &[IBig]) -> IBig {
    a.iter().zip(b).filter(|(x, y)| !x.is_zero() && !y.is_zero()).map(|(x, y)| x * y).sum()
}

/// The row with coprime entries, of the same direction.
pub(crate) fn lowest(mut row: Row) -> Row {
    let g = row.iter().fold(IBig::ZERO, |g, c| if g.is_one() { g } else { gcd(&g, c) });
    if !g.is_zero() && !g.is_one() {
        for c in &mut row {
            *c = &*c / &g;
        }
    }
    row
}

/// `p a - q b`, in lowest terms.
fn combine(p: &IBig, a: &[IBig], q: &IBig, b: &[IBig]) -> Row {
    lowest(a.iter().zip(b).map(|(x, y)| p * x - q * y).collect())
}

impl Cone {
    /// The whole space.
    pub fn full(dimensions: usize) -> Self {
        let unit = |i: usize| (0..dimensions).map(|j| IBig::from(i32::from(i == j))).collect();
        Self { lines: (0..dimensions).map(unit).collect(), rays: Vec::new(), cuts: 0 }
    }

    /// A cone of known lines and rays, which satisfies these constraints: it is what cutting by them gave.
    pub fn known(lines: Vec<Row>, rays: Vec<Row>, constraints: &[Row]) -> Result<Self, TooLarge> {
        if constraints.len() >= MOST_CUTS {
            return Err(TooLarge);
        }
        let on = |row: &Row| {
            let borders = constraints.iter().enumerate().filter(|(_, c)| dot(c, row).is_zero());
            borders.fold(0u128, |bits, (i, _)| bits | 1 << i)
        };
        let rays = rays.into_iter().map(|row| Ray { on: on(&row), row }).collect();
        Ok(Self { lines, rays, cuts: constraints.len() })
    }

    /// Keeps what has a scalar product with the normal that is not negative; with `equality`, that is zero.
    pub fn cut(&mut self, normal: &[IBig], equality: bool) -> Result<(), TooLarge> {
        if self.cuts >= MOST_CUTS {
            return Err(TooLarge);
        }
        let border = 1u128 << self.cuts;
        let before = border - 1;
        self.cuts += 1;
        if let Some(i) = self.lines.iter().position(|l| !dot(normal, l).is_zero()) {
            // The line crosses the border: everything else can be moved along it onto the border.
            let mut line = self.lines.swap_remove(i);
            let mut across = dot(normal, &line);
            if across < IBig::ZERO {
                for c in &mut line {
                    *c = -&*c;
                }
                across = -across;
            }
            for l in &mut self.lines {
                let own = dot(normal, l);
                if !own.is_zero() {
                    *l = combine(&across, l, &own, &line);
                }
            }
            for r in &mut self.rays {
                let own = dot(normal, &r.row);
                if !own.is_zero() {
                    r.row = combine(&across, &r.row, &own, &line);
                }
                r.on |= border;
            }
            if !equality {
                self.rays.push(Ray { row: line, on: before });
            }
            return Ok(());
        }
        let side: Vec<IBig> = self.rays.iter().map(|r| dot(normal, &r.row)).collect();
        let mut new = Vec::new();
        for (p, up) in self.rays.iter().enumerate().filter(|(i, _)| side[*i] > IBig::ZERO) {
            for (n, down) in self.rays.iter().enumerate().filter(|(i, _)| side[*i] < IBig::ZERO) {
                let common = up.on & down.on;
                let third = |(k, r): (usize, &Ray)| k != p && k != n && r.on & common == common;
                if self.rays.iter().enumerate().any(third) {
                    continue;
                }
                new.push(Ray { row: combine(&side[p], &down.row, &side[n], &up.row), on: common | border });
                if new.len() > MOST_RAYS {
                    return Err(TooLarge);
                }
            }
        }
        let mut kept = Vec::with_capacity(self.rays.len() + new.len());
        for (mut r, s) in std::mem::take(&mut self.rays).into_iter().zip(&side) {
            if s.is_zero() {
                r.on |= border;
                kept.push(r);
            } else if *s > IBig::ZERO && !equality {
                kept.push(r);
            }
        }
        kept.extend(new);
        self.rays = kept;
        if self.rays.len() > MOST_RAYS { Err(TooLarge) } else { Ok(()) }
    }

    /// The lines and the rays.
    pub fn into_parts(self) -> (Vec<Row>, Vec<Row>) {
        (self.lines, self.rays.into_iter().map(|r| r.row).collect())
    }
}
