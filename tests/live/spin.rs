// A flag that nobody sets, a list that comes back to its start, in Rust.
//@ attach: proved
use std::hint::black_box;

struct Node {
    data: u32,
    next: usize,
}

fn find(nodes: &[Node], wanted: u32) -> Option<usize> {
    let mut at = 0;
    let mut index = 0usize;
    loop {
        if nodes[at].data == wanted {
            return Some(index);
        }
        index = index.wrapping_add(1);
        at = nodes[at].next;
    }
}

fn main() {
    let nodes: Vec<Node> = (0..3).map(|i| Node { data: black_box(10 + i), next: black_box((i as usize + 1) % 3) }).collect();
    println!("{:?}", find(&nodes, black_box(7)));
}
