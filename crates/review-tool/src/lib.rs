//! Reviews a git change: diff, rules, findings, report.
