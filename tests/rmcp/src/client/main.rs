//! rmcp as a client of foreread and of the example server, in both eras.
//!
//! `client FOREREAD EVERYTHING` writes one line for each test, and fails if one of them did.

use std::future::Future;
use std::process::ExitCode;

use session::{LEGACY, MODERN, Session};

mod everything;
mod foreread;
mod session;

/// Runs a test against a server process of its own and says how it went.
async fn run<F>(title: &str, server: &[String], era: &'static str, test: fn(Session) -> F) -> bool
where
    F: Future<Output = ()> + Send + 'static,
{
    let server = server.to_vec();
    // A test that fails panics, which ends its task alone.
    let task = tokio::spawn(async move { test(Session::connect(&server, era).await).await });
    let passed = task.await.is_ok();
    let word = if passed { "ok     " } else { "FAILED " };
    println!("{word} rmcp {era}, {title}");
    passed
}

macro_rules! run_all {
    ($passed:ident, $server:expr, $era:expr, $module:ident: $($test:ident),* $(,)?) => {
        $(
            let title = concat!(stringify!($module), ": ", stringify!($test)).replace('_', " ");
            $passed &= run(&title, $server, $era, $module::$test).await;
        )*
    };
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, example] = arguments.as_slice() else {
        eprintln!("usage: client FOREREAD EVERYTHING");
        return ExitCode::from(2);
    };
    let (program, example) = ([program.clone(), "mcp".to_owned()], [example.clone()]);
    let mut passed = true;
    for era in [LEGACY, MODERN] {
        run_all!(passed, &program, era, foreread:
            finds_the_planted_fault,
            reads_a_review_that_was_made,
            completes_the_ids_of_rules,
            stops_a_review_that_is_given_up_and_serves_on,
        );
        run_all!(passed, &example, era, everything:
            lists_all_that_there_is,
            calls_tools_and_hears_of_failures,
            reads_resources,
            gets_prompts,
            completes_arguments,
            receives_progress_that_rises,
            gives_a_call_up_and_goes_on,
            is_asked_by_a_tool,
        );
    }
    run_all!(passed, &example, MODERN, everything: listens_to_changes);
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
