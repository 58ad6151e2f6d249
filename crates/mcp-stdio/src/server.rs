//! The server: handlers on one side, a connection on the other.
//!
//! Every accepted request gets exactly one response, or silence if the client gave it up. One
//! thread at a time writes. A bad message, a panicking handler or a client that does not read never
//! ends the process; the end of the input does, after what was accepted has been answered.

mod asked;
mod batch;
mod changes;
mod connection;
mod dispatch;
mod in_flight;
mod input;
mod monitor;
mod outbox;
mod pool;
mod run;
mod session;
mod spares;
mod task;
mod worker;

use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_proto::{CacheHint, Implementation, RpcError};

pub(crate) use self::connection::Connection;
pub(crate) use self::in_flight::Call;
use self::monitor::{End, Watch};
pub(crate) use self::task::needs_tasks;
use crate::completion::Complete;
use crate::error::{BuildError, ServeError};
use crate::limits::Limits;
use crate::notifier::Notifier;
use crate::prompt::Prompt;
use crate::registry::{Announced, Parts, Registry};
use crate::resource::{Resource, ResourceTemplate};
use crate::stop::{Stop, Watcher};
use crate::tool::Tool;
use crate::transport::Transport;

/// How long answers may take to leave once nothing else is left to do.
const WRITE_GRACE: Duration = Duration::from_secs(1);

/// A server, complete and ready to serve any number of connections.
///
/// ```
/// use mcp_stdio::{Limits, Server, Stop, ToolError, Transport, tool};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Greet {
///     /// Who is to be greeted.
///     name: String,
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::builder("greeter", "1.0.0")
///     .tool(tool("greet", "Greets someone by name.", |greet: Greet, _: &_| {
///         Ok::<_, ToolError>(format!("Hello, {}!", greet.name))
///     }))
///     .build()?;
/// # let (near, far) = Transport::memory(mcp_stdio::Framing::Auto)?;
/// # drop(far);
/// # let transport = near;
/// // let transport = Transport::stdio(Framing::Auto)?;
/// server.serve(transport, &Limits::recommended(), &Stop::new())?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Server {
    registry: Arc<Registry>,
}

/// Collects the handlers of a server.
pub struct ServerBuilder {
    parts: Parts,
}

impl Server {
    /// Starts a server of that name and version.
    #[must_use]
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ServerBuilder {
        ServerBuilder::new(Implementation::new(name, version))
    }

    /// Returns what announces changes to all clients of this server.
    #[must_use]
    pub fn notifier(&self) -> Notifier {
        self.registry.notifier.clone()
    }

    /// Serves one connection until its client closes it, stops reading, or `stop` is triggered.
    ///
    /// Whatever ends the connection, accepted requests are still answered within the grace that
    /// `limits` give; what then is not done is answered with an error. A thread that waits for
    /// input cannot be interrupted, so a process ends the connection for good by returning from
    /// `main`.
    ///
    /// # Errors
    ///
    /// Fails only when no thread can be started. How the connection ended is not an error.
    pub fn serve(
        &self,
        transport: Transport,
        limits: &Limits,
        stop: &Stop,
    ) -> Result<(), ServeError> {
        let connection = Connection::new(Arc::clone(&self.registry), transport, limits.clone());
        let monitor = Arc::clone(&connection.monitor) as Arc<dyn Watcher>;
        self.registry.notifier.attach(&connection);
        if stop.is_dormant() {
            // The answer to the first message need not wait until threads have been started.
            connection.read_first();
        }
        stop.watch(Arc::downgrade(&monitor)).map_err(ServeError::Thread)?;
        connection.start_first().map_err(ServeError::Thread)?;
        let end = loop {
            match connection.monitor.watch() {
                Watch::NobodyReads => connection.staff(connection.pool.offer_reading()),
                Watch::Ended(end) => break end,
            }
        };
        connection.wind_down(end);
        Ok(())
    }
}

impl ServerBuilder {
    /// Starts a server with a full description of itself.
    #[must_use]
    pub fn new(info: Implementation) -> Self {
        let parts = Parts {
            info,
            instructions: None,
            logging: false,
            announced: Announced::default(),
            tools: Vec::new(),
            resources: Vec::new(),
            templates: Vec::new(),
            prompts: Vec::new(),
            completion: None,
            state_key: None,
            tasks: false,
            list_cache: CacheHint::private(0),
        };
        Self { parts }
    }

    /// Tells the model how to use the server.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.parts.instructions = Some(instructions.into());
        self
    }

    /// Offers log messages to clients; without this, what handlers log is dropped.
    #[must_use]
    pub fn logging(mut self) -> Self {
        self.parts.logging = true;
        self
    }

    /// Adds a tool.
    #[must_use]
    pub fn tool(mut self, tool: impl Tool + 'static) -> Self {
        self.parts.tools.push(Box::new(tool));
        self
    }

    /// Adds a resource.
    #[must_use]
    pub fn resource(mut self, resource: impl Resource + 'static) -> Self {
        self.parts.resources.push(Box::new(resource));
        self
    }

    /// Adds a family of resources.
    #[must_use]
    pub fn resource_template(mut self, template: impl ResourceTemplate + 'static) -> Self {
        self.parts.templates.push(Box::new(template));
        self
    }

    /// Adds a prompt.
    #[must_use]
    pub fn prompt(mut self, prompt: impl Prompt + 'static) -> Self {
        self.parts.prompts.push(Box::new(prompt));
        self
    }

    /// Offers completion of arguments.
    #[must_use]
    pub fn completion(mut self, completion: impl Complete + 'static) -> Self {
        self.parts.completion = Some(Box::new(completion));
        self
    }

    /// Promises to tell clients when tools come or go; see [`Notifier::tools_changed`].
    #[must_use]
    pub fn announces_tools(mut self) -> Self {
        self.parts.announced.tools = true;
        self
    }

    /// Promises to tell clients when prompts come or go; see [`Notifier::prompts_changed`].
    #[must_use]
    pub fn announces_prompts(mut self) -> Self {
        self.parts.announced.prompts = true;
        self
    }

    /// Promises to tell clients when resources come or go; see [`Notifier::resources_changed`].
    #[must_use]
    pub fn announces_resources(mut self) -> Self {
        self.parts.announced.resources = true;
        self
    }

    /// Lets clients subscribe to single resources; see [`Notifier::resource_updated`].
    #[must_use]
    pub fn announces_resource_updates(mut self) -> Self {
        self.parts.announced.resource_updates = true;
        self
    }

    /// Says how long clients may keep lists and the description of the server.
    ///
    /// Without this they are told to ask anew each time. Only 2026-07-28 has such hints.
    #[must_use]
    pub fn list_cache(mut self, hint: CacheHint) -> Self {
        self.parts.list_cache = hint;
        self
    }

    /// Lets calls of clients that support it go on as tasks; see
    /// [`CallContext::run_as_task`](crate::CallContext::run_as_task).
    #[must_use]
    pub fn tasks(mut self) -> Self {
        self.parts.tasks = true;
        self
    }

    /// Sets the key that protects the states of requests which need several attempts.
    ///
    /// Without one, a key is made for the process, and a state does not outlive it. The key must be
    /// secret and as hard to guess as 32 random bytes.
    #[must_use]
    pub fn state_key(mut self, key: impl Into<Vec<u8>>) -> Self {
        self.parts.state_key = Some(key.into());
        self
    }

    /// Finishes the server.
    ///
    /// # Errors
    ///
    /// Refuses handlers that share a name or have an unusable one.
    pub fn build(self) -> Result<Server, BuildError> {
        Ok(Server { registry: Arc::new(Registry::new(self.parts)?) })
    }
}

impl Connection {
    /// Answers what was accepted, for as long as the limits allow.
    fn wind_down(self: &Arc<Self>, end: End) {
        self.asked.close();
        let grace = match end {
            End::Input => self.limits.drain_grace,
            End::Stopped => self.limits.stop_grace,
            End::Output => Duration::ZERO,
        };
        let finished = self.outbox.wait_until_done(Instant::now() + grace);
        self.pool.stop();
        self.end_subscriptions();
        if !finished || end == End::Output {
            for call in self.outbox.remaining() {
                let error = RpcError::internal("the server is ending before the call was done");
                let mut body = Vec::new();
                self.wire(call.peer.revision).error(&mut body, Some(&call.id), &error);
                // Answered first, so that nothing the handler does when it is told counts.
                self.outbox.complete(&call, &mut body);
                call.cancel();
            }
            self.asked.wake();
        }
        if end != End::Output {
            // Whoever writes just now may be stuck; the rest would be behind it.
            self.flush_within(WRITE_GRACE);
        }
        self.outbox.close();
    }
}
