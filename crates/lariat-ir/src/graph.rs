//! Strongly connected components of a graph.

/// A strongly connected component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    /// Its nodes, in ascending order.
    pub nodes: Vec<usize>,
    /// Whether it has a cycle: several nodes, or one with an edge to itself.
    pub cyclic: bool,
}

const UNSEEN: usize = usize::MAX;

/// The strongly connected components of the graph over `0..nodes`, each behind all that it leads to.
///
/// Tarjan's algorithm with an explicit stack, so that a deep graph does not exhaust the thread's. `successors` is asked once for each
/// node; the result depends on nothing but the graph and the order in which it gives them.
pub fn components<S>(nodes: usize, mut successors: impl FnMut(usize) -> S) -> Vec<Component>
where
    S: IntoIterator<Item = usize>,
{
    let (mut number, mut low) = (vec![UNSEEN; nodes], vec![UNSEEN; nodes]);
    let (mut open, mut to_itself) = (vec![false; nodes], vec![false; nodes]);
    let (mut stack, mut found, mut next) = (Vec::new(), Vec::new(), 0);
    for root in 0..nodes {
        if number[root] != UNSEEN {
            continue;
        }
        let mut calls: Vec<(usize, S::IntoIter)> = Vec::new();
        let mut entered = Some(root);
        loop {
            if let Some(v) = entered.take() {
                (number[v], low[v], open[v]) = (next, next, true);
                next += 1;
                stack.push(v);
                calls.push((v, successors(v).into_iter()));
            }
            let Some((v, rest)) = calls.last_mut() else { break };
            let v = *v;
            if let Some(w) = rest.next() {
                to_itself[v] |= v == w;
                if number[w] == UNSEEN {
                    entered = Some(w);
                } else if open[w] {
                    low[v] = low[v].min(number[w]);
                }
                continue;
            }
            calls.pop();
            if let Some((parent, _)) = calls.last() {
                low[*parent] = low[*parent].min(low[v]);
            }
            if low[v] == number[v] {
                let start = stack.iter().rposition(|&w| w == v).expect("the component's root is on the stack");
                let mut nodes: Vec<usize> = stack.split_off(start);
                for &w in &nodes {
                    open[w] = false;
                }
                nodes.sort_unstable();
                let cyclic = nodes.len() > 1 || to_itself[v];
                found.push(Component { nodes, cyclic });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Whether each node leads to each, by at least one edge.
    fn closure(edges: &[Vec<usize>]) -> Vec<Vec<bool>> {
        let n = edges.len();
        let mut reach = vec![vec![false; n]; n];
        for (from, to) in edges.iter().enumerate() {
            for &to in to {
                reach[from][to] = true;
            }
        }
        for k in 0..n {
            for a in 0..n {
                for b in 0..n {
                    reach[a][b] |= reach[a][k] && reach[k][b];
                }
            }
        }
        reach
    }

    #[test]
    fn components_are_the_classes_of_mutual_reachability() {
        let mut random = Random::new(1);
        for _ in 0..2000 {
            let n = random.below(9);
            let edges: Vec<Vec<usize>> =
                (0..n).map(|_| (0..random.below(4)).map(|_| random.below(n)).collect()).collect();
            let found = components(n, |v| edges[v].iter().copied());
            let reach = closure(&edges);
            let mut place = vec![None; n];
            for (i, c) in found.iter().enumerate() {
                assert!(c.nodes.is_sorted());
                assert_eq!(c.cyclic, reach[c.nodes[0]][c.nodes[0]]);
                for &v in &c.nodes {
                    assert_eq!(place[v].replace(i), None, "a node is in one component");
                }
            }
            for a in 0..n {
                for b in 0..n {
                    let together = a == b || reach[a][b] && reach[b][a];
                    assert_eq!(place[a] == place[b], together);
                    assert!(!reach[a][b] || place[b] <= place[a], "what a component leads to comes before it");
                }
            }
        }
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack() {
        let n = 200_000;
        let found = components(n, |v| (v + 1 < n).then_some(v + 1));
        assert_eq!(found.len(), n);
        assert_eq!(found[0].nodes, [n - 1]);
    }
}
