//! throwaway
fn main() {
    use review_tool::{diff, rules::RuleSet, view::FileView};
    use std::time::Instant;
    let t = Instant::now();
    let set = RuleSet::embedded();
    println!("compile {:?} rules {}", t.elapsed(), set.rules().len());
    let text = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();
    let olddir = std::env::args().nth(2).unwrap();
    let (cs, _) = diff::parse(&text);
    let views: Vec<FileView> = cs
        .files
        .iter()
        .map(|f| {
            let old = std::fs::read(format!("{olddir}/{}", f.path())).ok();
            let (a, b, m) = diff::apply::sides(f, old.as_deref());
            assert!(m.is_none());
            FileView::of_change(f, a, b)
        })
        .collect();
    let t = Instant::now();
    for v in &views {
        for s in [review_tool::finding::Side::New] {
            for (_, _t) in v.trees(s) {}
        }
    }
    println!("parse {:?}", t.elapsed());
    let mut rows = vec![];
    for r in set.rules() {
        let t = Instant::now();
        let mut n = 0;
        for v in &views {
            n += set.check(v, |x| std::ptr::eq(x, r)).len();
        }
        rows.push((t.elapsed(), r.id().to_owned(), n));
    }
    rows.sort();
    rows.reverse();
    for r in rows.iter().take(25) {
        println!("{:?} {} {}", r.0, r.1, r.2);
    }
    let total: std::time::Duration = rows.iter().map(|r| r.0).sum();
    println!("sum {total:?}");
    let t = Instant::now();
    for v in &views {
        set.check(v, |_| true);
    }
    println!("all {:?}", t.elapsed());
}
