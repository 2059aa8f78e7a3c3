//! The path automaton of a loop as a drawing.
//!
//! A box is a path: its mark, when it is taken, what it does. The colour says how it is marked, a thick border that a run can come to the
//! loop and take it first. An arrow says that one path can follow another, with how often the first is taken before; a double
//! circle is the end of the loop.

use lariat_engines::path_automaton::{Mark, Picture, Times};
use layout::backends::svg::SVGWriter;
use layout::core::base::Orientation;
use layout::core::color::Color;
use layout::core::geometry::Point;
use layout::core::style::StyleAttr;
use layout::std_shapes::shapes::{Arrow, Element, ShapeKind};
use layout::topo::layout::VisualGraph;

/// A line of a box is broken behind so many characters.
const WIDEST: usize = 44;
/// More lines of a condition or of updates are left out.
const MOST_LINES: usize = 6;
/// What a character and a line of text take.
const CHARACTER: f64 = 9.0;
const LINE: f64 = 18.0;
/// What is left free at the right and below, also for the label of an arrow.
const MARGIN: f64 = 50.0;

/// The drawing.
pub(crate) fn svg(picture: &Picture) -> String {
    let mut graph = VisualGraph::new(Orientation::TopToBottom);
    let mut nodes = Vec::new();
    for (i, s) in picture.states.iter().enumerate() {
        let mut lines = vec![format!("path {}: {}", i + 1, mark(s.mark))];
        lines.push(if s.ends.0 == s.ends.1 { s.ends.0.clone() } else { format!("{} to {}", s.ends.0, s.ends.1) });
        lines.extend(shortened(broken(&format!("if {}", s.condition))));
        lines.extend(shortened(s.updates.iter().flat_map(|u| broken(u)).collect()));
        let fill = match s.mark {
            Mark::T => 0xd8_f0_d8_ff,
            Mark::NT => 0xf6_d0_d0_ff,
            Mark::UN => 0xf4_ee_c8_ff,
        };
        let border = if s.initial { 3 } else { 1 };
        let style = StyleAttr::new(Color::fast("black"), border, Some(Color::new(fill)), 0, 14);
        nodes.push(graph.add_node(boxed(&lines, style)));
    }
    if picture.limited {
        let style = StyleAttr::new(Color::fast("black"), 1, Some(Color::fast("white")), 0, 14);
        graph.add_node(boxed(&["there are more paths than are drawn".into()], style));
    }
    if !picture.exits.is_empty() {
        let style = StyleAttr::new(Color::fast("black"), 1, Some(Color::fast("white")), 0, 14);
        let shape = ShapeKind::new_double_circle("end");
        let end = graph.add_node(Element::create(shape, style, Orientation::TopToBottom, Point::new(56.0, 56.0)));
        for i in &picture.exits {
            graph.add_edge(Arrow::default(), nodes[*i], end);
        }
    }
    for (from, to, times) in &picture.transitions {
        let text = match times {
            Times::Once => "k = 1",
            Times::Several => "k >= 2",
            Times::Any => "k >= 1",
        };
        graph.add_edge(Arrow { text: text.into(), ..Arrow::default() }, nodes[*from], nodes[*to]);
    }
    let mut writer = SVGWriter::new();
    graph.do_it(false, false, false, &mut writer);
    let corners = graph.iter_nodes().map(|n| graph.pos(n).bbox(false).1);
    let (right, bottom) = corners.fold((0.0f64, 0.0f64), |(x, y), c| (x.max(c.x), y.max(c.y)));
    framed(&writer.finalize(), right + MARGIN, bottom + MARGIN)
}

/// The drawing in a frame of this size: the library's own one cuts labels off at the right and leaves half of the page empty.
fn framed(svg: &str, width: f64, height: f64) -> String {
    match (svg.find("<svg "), svg.find(" xmlns=")) {
        (Some(start), Some(end)) if start < end => {
            let size =
                format!("<svg width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\"");
            format!("{}{size}{}", &svg[..start], &svg[end..])
        }
        _ => svg.to_owned(),
    }
}

fn mark(m: Mark) -> &'static str {
    match m {
        Mark::T => "T, it ends",
        Mark::NT => "NT, it can be repeated for ever",
        Mark::UN => "UN, neither was shown",
    }
}

fn boxed(lines: &[String], style: StyleAttr) -> Element {
    let widest = lines.iter().map(|l| l.chars().count()).max().unwrap_or(1);
    #[expect(clippy::cast_precision_loss, reason = "they are small")]
    let size = Point::new(widest as f64 * CHARACTER + 20.0, lines.len() as f64 * LINE + 20.0);
    Element::create(ShapeKind::new_box(&lines.join("\n")), style, Orientation::TopToBottom, size)
}

/// A text in lines of bounded width, broken at spaces.
fn broken(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("there is one");
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > WIDEST {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

/// The first lines, and a sign that there are more.
fn shortened(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > MOST_LINES {
        lines.truncate(MOST_LINES - 1);
        lines.push("…".into());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_engines::path_automaton::Shown;

    #[test]
    fn marks_and_numbers_are_in_the_drawing() {
        let state = |mark| Shown {
            ends: ("head".into(), "head".into()),
            condition: "x < n && z > x".into(),
            updates: vec!["x := x + 1".into()],
            mark,
            initial: true,
        };
        let picture = Picture {
            states: vec![state(Mark::T), state(Mark::UN)],
            transitions: vec![(0, 1, Times::Any), (1, 0, Times::Once)],
            exits: vec![0],
            limited: true,
        };
        let text = svg(&picture);
        for part in ["<svg", "path 1: T", "path 2: UN", "k = 1", "k &gt;= 1", "end", "more paths than are drawn"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains('…'), "{text}");
        let mut many = picture.clone();
        many.states[0].updates = (0..9).map(|n| format!("x{n} := {n}")).collect();
        assert!(svg(&many).contains('…'), "what is left out is left out silently");
    }
}
