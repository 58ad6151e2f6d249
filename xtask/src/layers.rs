//! The edges between the crates of the workspace are those that the design names, and no others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::run::{cargo, output, root, say};

/// Which crate of the workspace may use which. Test targets keep to the same edges.
const EDGES: &[(&str, &[&str])] = &[
    ("foreread", &["llm-http", "mcp-proto", "mcp-stdio", "review-store", "review-tool"]),
    ("llm-http", &["review-tool"]),
    ("mcp-proto", &[]),
    ("mcp-stdio", &["mcp-proto"]),
    ("review-store", &["review-tool"]),
    ("review-tool", &["mcp-proto"]),
    ("xtask", &[]),
];

/// The modules of review-tool that may name protocol types.
const PROTOCOL_FACES: &[&str] = &["tool.rs", "resource.rs", "self_review.rs"];

/// Fails on any edge that is not named, and on protocol types outside their modules.
pub(crate) fn run() -> Result<()> {
    say("\n==> layers");
    let text = output(cargo(&["metadata", "--format-version=1", "--no-deps", "--locked"]))?;
    let metadata: Value = serde_json::from_str(&text).context("cannot read cargo metadata")?;
    let mut faults = wrong_edges(&edges(&metadata)?);
    faults.extend(foreign_names()?);
    if faults.is_empty() {
        return Ok(());
    }
    bail!("the layers are broken:\n  {}", faults.join("\n  "));
}

/// The edges inside the workspace, by package.
fn edges(metadata: &Value) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let packages = metadata["packages"].as_array().context("cargo metadata has no packages")?;
    let name = |value: &Value| value["name"].as_str().map(str::to_owned);
    let members: BTreeSet<String> = packages.iter().filter_map(name).collect();
    let edges = packages.iter().filter_map(|package| {
        let uses = package["dependencies"].as_array()?.iter().filter_map(name);
        Some((name(package)?, uses.filter(|used| members.contains(used)).collect()))
    });
    Ok(edges.collect())
}

fn wrong_edges(found: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let mut faults = Vec::new();
    for (package, uses) in found {
        match EDGES.iter().find(|(name, _)| name == package) {
            None => faults.push(format!("{package} is not a crate of the design")),
            Some((_, allowed)) => faults.extend(
                uses.iter()
                    .filter(|used| !allowed.contains(&used.as_str()))
                    .map(|used| format!("{package} -> {used} is not an edge of the design")),
            ),
        }
    }
    faults
}

/// Files of review-tool that name mcp-proto and should not.
fn foreign_names() -> Result<Vec<String>> {
    let source = root().join("crates/review-tool/src");
    let mut faults = Vec::new();
    let mut folders = vec![source.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let inside = path.strip_prefix(&source)?.to_string_lossy().replace('\\', "/");
            let is_face = PROTOCOL_FACES.contains(&inside.as_str())
                || PROTOCOL_FACES
                    .iter()
                    .any(|face| inside.starts_with(&format!("{}/", face.trim_end_matches(".rs"))));
            if !is_face && fs::read_to_string(&path)?.contains("mcp_proto") {
                faults.push(format!("review-tool/src/{inside} names mcp_proto"));
            }
        }
    }
    faults.sort();
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(edges: &[(&str, &[&str])]) -> BTreeMap<String, BTreeSet<String>> {
        let own = |name: &&str| (*name).to_owned();
        edges.iter().map(|(name, uses)| (own(name), uses.iter().map(own).collect())).collect()
    }

    #[test]
    fn an_edge_that_the_design_does_not_name_is_a_fault() {
        assert_eq!(wrong_edges(&found(EDGES)), [""; 0]);
        assert_eq!(
            wrong_edges(&found(&[("review-tool", &["mcp-stdio"]), ("helper", &[])])),
            [
                "helper is not a crate of the design",
                "review-tool -> mcp-stdio is not an edge of the design"
            ]
        );
    }

    #[test]
    fn edges_are_read_from_cargo_metadata() {
        let metadata = serde_json::json!({"packages": [
            {"name": "a", "dependencies": [{"name": "b"}, {"name": "serde"}]},
            {"name": "b", "dependencies": []},
        ]});
        assert_eq!(edges(&metadata).unwrap(), found(&[("a", &["b"]), ("b", &[])]));
    }
}
