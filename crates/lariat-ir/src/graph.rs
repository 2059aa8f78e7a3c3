//! Strongly connected components of a graph of numbered nodes.

/// A search for components in one part of a graph after another; what it needs is made once.
#[derive(Clone, Debug)]
pub struct Components {
    /// The part that a node was last said to be in.
    part: Vec<u32>,
    parts: u32,
    number: Vec<usize>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
}

const UNSEEN: usize = usize::MAX;

impl Components {
    /// For a graph of so many nodes.
    pub fn new(nodes: usize) -> Self {
        Self {
            part: vec![0; nodes],
            parts: 0,
            number: vec![UNSEEN; nodes],
            low: vec![UNSEEN; nodes],
            on_stack: vec![false; nodes],
        }
    }

    /// Says that these nodes are a part, and no others; gives its number.
    pub fn mark(&mut self, part: &[usize]) -> u32 {
        self.parts += 1;
        for &n in part {
            self.part[n] = self.parts;
        }
        self.parts
    }

    /// Whether a node was last said to be in the part of this number.
    pub fn is_in(&self, node: usize, part: u32) -> bool {
        self.part[node] == part
    }

    /// The strongly connected components of a part of the graph that have a cycle, in order of their smallest node, each in order. Of
    /// `next(node, i)` the results for 0, 1, … up to the first `None` are the successors of a node.
    pub fn cyclic(&mut self, part: &[usize], next: impl Fn(usize, usize) -> Option<usize>) -> Vec<Vec<usize>> {
        let here = self.mark(part);
        for &n in part {
            self.number[n] = UNSEEN;
        }
        // Tarjan's algorithm with an explicit stack of (node, how many of its edges are done).
        let mut stack = Vec::new();
        let mut count = 0;
        let mut components = Vec::new();
        for &root in part {
            if self.number[root] != UNSEEN {
                continue;
            }
            let mut calls = vec![(root, 0)];
            self.enter(root, &mut count, &mut stack);
            while let Some((n, done)) = calls.last_mut() {
                let n = *n;
                if let Some(to) = next(n, *done) {
                    *done += 1;
                    if self.part[to] != here {
                        continue;
                    }
                    if self.number[to] == UNSEEN {
                        self.enter(to, &mut count, &mut stack);
                        calls.push((to, 0));
                    } else if self.on_stack[to] {
                        self.low[n] = self.low[n].min(self.number[to]);
                    }
                    continue;
                }
                calls.pop();
                if let Some(&(parent, _)) = calls.last() {
                    self.low[parent] = self.low[parent].min(self.low[n]);
                }
                if self.low[n] == self.number[n] {
                    let start = stack.iter().rposition(|&t| t == n).expect("the component's root is on the stack");
                    let mut component: Vec<usize> = stack.split_off(start);
                    for &t in &component {
                        self.on_stack[t] = false;
                    }
                    component.sort_unstable();
                    let to_itself = || (0..).map_while(|i| next(n, i)).any(|to| to == n);
                    if component.len() > 1 || to_itself() {
                        components.push(component);
                    }
                }
            }
        }
        components.sort_by_key(|c| c.first().copied());
        components
    }

    fn enter(&mut self, n: usize, count: &mut usize, stack: &mut Vec<usize>) {
        (self.number[n], self.low[n], self.on_stack[n]) = (*count, *count, true);
        stack.push(n);
        *count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every graph on four nodes: two nodes are in one cyclic component iff each reaches the other by at least one edge.
    #[test]
    fn components_are_those_of_mutual_reachability() {
        for mask in 0u32..1 << 16 {
            let edge = |a: usize, b: usize| mask >> (a * 4 + b) & 1 == 1;
            let mut reach = [[false; 4]; 4];
            for (a, row) in reach.iter_mut().enumerate() {
                for (b, r) in row.iter_mut().enumerate() {
                    *r = edge(a, b);
                }
            }
            for k in 0..4 {
                for a in 0..4 {
                    for b in 0..4 {
                        reach[a][b] |= reach[a][k] && reach[k][b];
                    }
                }
            }
            let next = |n: usize, i: usize| (0..4).filter(|b| edge(n, *b)).nth(i);
            let found = Components::new(4).cyclic(&[0, 1, 2, 3], next);
            let mut wanted: Vec<Vec<usize>> = Vec::new();
            for a in (0..4).filter(|a| reach[*a][*a]) {
                if !wanted.iter().any(|c| c.contains(&a)) {
                    wanted.push((0..4).filter(|b| reach[a][*b] && reach[*b][a]).collect());
                }
            }
            assert_eq!(found, wanted, "graph {mask:#x}");
        }
    }
}
