//! Messages from arbitrary bytes: when the bytes run out, what is left becomes as small as it can.
//!
//! Left out on purpose: what the official schemas refuse although the protocol allows it (numbers
//! with a fraction in an elicited form, `null` and fractions in settings), and content of unknown
//! types, which no schema knows.

use mcp_proto::*;

/// Arbitrary bytes, read front to back.
pub(crate) struct Source<'a>(pub(crate) &'a [u8]);

const WORDS: &[&str] =
    &["", "a", "tool", "two words", "line\nbreak", "\"\\\u{1}", "é😀", "\u{2028}"];

impl Source<'_> {
    fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((first, rest)) => {
                self.0 = rest;
                *first
            }
            None => 0,
        }
    }

    fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    fn below(&mut self, count: u8) -> u8 {
        self.byte() % count
    }

    fn opt<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.flag().then(|| make(self))
    }

    fn list<T>(&mut self, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(3)).map(|_| make(self)).collect()
    }

    fn text(&mut self) -> String {
        WORDS[usize::from(self.byte()) % WORDS.len()].to_owned()
    }

    fn number(&mut self) -> u64 {
        [0, 1, 100, 60_000, u64::from(u32::MAX)][usize::from(self.below(5))]
    }

    fn float(&mut self) -> f64 {
        [0.0, 1.0, 0.25, -3.5, 1e300, 7.0][usize::from(self.below(6))]
    }

    fn json(&mut self) -> RawJson {
        let any = ["null", "1", "1.5", "\"x\"", "[1,\n{}]", "{\"b\":1,\"a\":[null]}", "false"];
        RawJson::parse(any[usize::from(self.byte()) % any.len()]).unwrap()
    }

    fn object_json(&mut self) -> RawJson {
        let any = ["{}", "{\"z\":1,\"a\":\"x\"}", "{\n\"k\": {}\n}"];
        RawJson::parse(any[usize::from(self.byte()) % any.len()]).unwrap()
    }

    fn settings(&mut self) -> JsonObject {
        let names = ["a", "listChanged"];
        self.list(|source| (names[usize::from(source.below(2))], source.object_json()))
            .into_iter()
            .collect()
    }

    fn meta(&mut self) -> JsonObject {
        self.list(|source| (format!("com.example/{}", source.below(3)), source.json()))
            .into_iter()
            .collect()
    }

    pub(crate) fn id(&mut self) -> RequestId {
        match self.below(4) {
            0 => RequestId::from(1_i64),
            1 => RequestId::from(self.text()),
            2 => RequestId::from(u64::MAX),
            _ => RequestId::from(-7_i64),
        }
    }

    fn result_meta(&mut self) -> ResultMeta {
        let mut meta = ResultMeta::default();
        meta.server_info = self.opt(Self::implementation);
        meta.related_task = self.opt(|source| RelatedTask { task_id: source.text() });
        meta.other = self.meta();
        meta
    }

    pub(crate) fn request_meta(&mut self) -> RequestMeta {
        let mut meta = RequestMeta::default();
        meta.progress_token = self.opt(|source| source.id().into());
        meta.client_info = self.opt(Self::implementation);
        meta.client_capabilities = self.opt(Self::client_capabilities);
        meta.log_level = self.opt(Self::level);
        meta.related_task = self.opt(|source| RelatedTask { task_id: source.text() });
        meta.other = self.meta();
        meta
    }

    pub(crate) fn notification_meta(&mut self) -> NotificationMeta {
        let mut meta = NotificationMeta::default();
        meta.subscription_id = self.opt(Self::id);
        meta.related_task = self.opt(|source| RelatedTask { task_id: source.text() });
        meta.other = self.meta();
        meta
    }

    fn icon(&mut self) -> Icon {
        let mut icon = Icon::new("https://example.com/icon.png");
        icon.mime_type = self.opt(Self::text);
        icon.sizes = self.list(Self::text);
        icon.theme = self.opt(|s| if s.flag() { IconTheme::Dark } else { IconTheme::Light });
        icon
    }

    pub(crate) fn implementation(&mut self) -> Implementation {
        let mut implementation = Implementation::new(self.text(), self.text());
        implementation.title = self.opt(Self::text);
        implementation.description = self.opt(Self::text);
        implementation.website_url = self.opt(|_| "https://example.com".to_owned());
        implementation.icons = self.list(Self::icon);
        implementation
    }

    fn tasks(&mut self) -> TasksCapability {
        let mut tasks = TasksCapability::default();
        tasks.list = self.flag();
        tasks.cancel = self.flag();
        tasks.call_tool = self.flag();
        tasks.create_message = self.flag();
        tasks.elicit = self.flag();
        tasks
    }

    fn client_capabilities(&mut self) -> ClientCapabilities {
        let mut all = ClientCapabilities::default();
        all.experimental = self.opt(Self::settings);
        if self.flag() {
            all = all.with_roots(self.flag());
        }
        all.sampling = self.opt(|source| {
            let mut sampling = SamplingCapability::default();
            sampling.context = source.opt(Self::settings);
            sampling.tools = source.opt(Self::settings);
            sampling
        });
        all.elicitation = self.opt(|source| {
            let mut elicitation = ElicitationCapability::default();
            elicitation.form = source.opt(Self::settings);
            elicitation.url = source.opt(Self::settings);
            elicitation
        });
        all.tasks = self.opt(Self::tasks);
        all.extensions = self.opt(Self::settings);
        all
    }

    fn server_capabilities(&mut self) -> ServerCapabilities {
        let mut all = ServerCapabilities::default();
        all.experimental = self.opt(Self::settings);
        all.logging = self.opt(Self::settings);
        all.completions = self.opt(Self::settings);
        if self.flag() {
            all = all.with_prompts(self.flag());
        }
        if self.flag() {
            all = all.with_resources(self.flag(), self.flag());
        }
        if self.flag() {
            all = all.with_tools(self.flag());
        }
        all.tasks = self.opt(Self::tasks);
        all.extensions = self.opt(Self::settings);
        all
    }

    fn level(&mut self) -> LoggingLevel {
        use LoggingLevel::{Alert, Critical, Debug, Emergency, Error, Info, Notice, Warning};
        [Debug, Info, Notice, Warning, Error, Critical, Alert, Emergency]
            [usize::from(self.below(8))]
    }

    fn role(&mut self) -> Role {
        if self.flag() { Role::Assistant } else { Role::User }
    }

    fn annotations(&mut self) -> Annotations {
        let mut annotations = Annotations::default();
        annotations.audience = self.list(Self::role);
        annotations.priority = self.opt(Self::float);
        annotations.last_modified = self.opt(Self::text);
        annotations
    }

    fn resource(&mut self) -> Resource {
        let mut resource = Resource::new("file:///a", self.text());
        resource.title = self.opt(Self::text);
        resource.description = self.opt(Self::text);
        resource.mime_type = self.opt(Self::text);
        resource.size = self.opt(Self::number);
        resource.annotations = self.opt(Self::annotations);
        resource.icons = self.list(Self::icon);
        resource.meta = self.meta();
        resource
    }

    fn template(&mut self) -> ResourceTemplate {
        let mut template = ResourceTemplate::new("file:///{a}", self.text());
        template.title = self.opt(Self::text);
        template.description = self.opt(Self::text);
        template.mime_type = self.opt(Self::text);
        template.annotations = self.opt(Self::annotations);
        template.icons = self.list(Self::icon);
        template.meta = self.meta();
        template
    }

    fn contents(&mut self) -> ResourceContents {
        let mut contents = if self.flag() {
            ResourceContents::blob("file:///a", "AAAA")
        } else {
            ResourceContents::text("file:///a", self.text())
        };
        contents.mime_type = self.opt(Self::text);
        contents.meta = self.meta();
        contents
    }

    fn text_content(&mut self) -> TextContent {
        let mut text = TextContent::new(self.text());
        text.annotations = self.opt(Self::annotations);
        text.meta = self.meta();
        text
    }

    fn media(&mut self) -> MediaContent {
        let mut media = MediaContent::new("AAAA", self.text());
        media.annotations = self.opt(Self::annotations);
        media.meta = self.meta();
        media
    }

    fn content(&mut self) -> Content {
        match self.below(5) {
            0 => Content::Text(self.text_content()),
            1 => Content::Image(self.media()),
            2 => Content::Audio(self.media()),
            3 => Content::ResourceLink(self.resource()),
            _ => {
                let mut embedded = EmbeddedResource::new(self.contents());
                embedded.annotations = self.opt(Self::annotations);
                embedded.meta = self.meta();
                Content::Resource(embedded)
            }
        }
    }

    fn tool(&mut self) -> Tool {
        let schemas = [
            r#"{"type":"object"}"#,
            r#"{"properties":{"z":{"type":"string"},"a":{}},"type":"object","required":["z"]}"#,
            r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","allOf":[{}]}"#,
        ];
        let input = RawJson::parse(schemas[usize::from(self.below(3))]).unwrap();
        let mut tool = Tool::new(self.text(), input);
        tool.title = self.opt(Self::text);
        tool.description = self.opt(Self::text);
        tool.output_schema = self.opt(|source| {
            let any = [schemas[1], r#"{"type":"array"}"#, "{}"];
            RawJson::parse(any[usize::from(source.below(3))]).unwrap()
        });
        tool.annotations = self.opt(|source| {
            let mut hints = ToolAnnotations::default();
            hints.title = source.opt(Self::text);
            hints.read_only_hint = source.opt(Self::flag);
            hints.destructive_hint = source.opt(Self::flag);
            hints.idempotent_hint = source.opt(Self::flag);
            hints.open_world_hint = source.opt(Self::flag);
            hints
        });
        tool.icons = self.list(Self::icon);
        if self.flag() {
            let all = [TaskSupport::Forbidden, TaskSupport::Optional, TaskSupport::Required];
            tool = tool.task_support(all[usize::from(self.below(3))]);
        }
        tool.meta = self.meta();
        tool
    }

    fn prompt(&mut self) -> Prompt {
        let mut prompt = Prompt::new(self.text());
        prompt.title = self.opt(Self::text);
        prompt.description = self.opt(Self::text);
        prompt.arguments = self.list(|source| {
            let mut argument = PromptArgument::new(source.text());
            argument.title = source.opt(Self::text);
            argument.description = source.opt(Self::text);
            argument.required = source.opt(Self::flag);
            argument
        });
        prompt.icons = self.list(Self::icon);
        prompt.meta = self.meta();
        prompt
    }

    fn strings(&mut self) -> Strings {
        self.list(|source| (source.text(), source.text())).into_iter().collect()
    }

    fn cursor(&mut self) -> Cursor {
        Cursor::new(self.text())
    }

    fn hint(&mut self) -> CacheHint {
        let ttl = self.number();
        if self.flag() { CacheHint::public(ttl) } else { CacheHint::private(ttl) }
    }

    fn task(&mut self) -> Task {
        use TaskStatus::{Cancelled, Completed, Failed, InputRequired, Working};
        let mut task = Task::new(self.text(), "2026-01-01T00:00:00Z");
        task.status =
            [Working, InputRequired, Completed, Failed, Cancelled][usize::from(self.below(5))];
        task.status_message = self.opt(Self::text);
        task.ttl_ms = self.opt(Self::number);
        task.poll_interval_ms = self.opt(Self::number);
        task
    }

    fn detailed_task(&mut self) -> DetailedTask {
        let mut detailed = DetailedTask::new(self.task());
        match detailed.task.status {
            TaskStatus::InputRequired => detailed.input_requests = self.input_requests(),
            TaskStatus::Completed => detailed.result = Some(self.object_json()),
            TaskStatus::Failed => detailed.error = Some(self.error()),
            TaskStatus::Working | TaskStatus::Cancelled => {}
        }
        detailed.meta = self.result_meta();
        detailed
    }

    fn task_request(&mut self) -> TaskRequest {
        TaskRequest::new(self.opt(Self::number))
    }

    pub(crate) fn error(&mut self) -> RpcError {
        let text = self.text();
        match self.below(11) {
            0 => RpcError::parse_error(text),
            1 => RpcError::invalid_request(text),
            2 => RpcError::method_not_found(&text),
            3 => RpcError::invalid_params(text).with_data(self.json()),
            4 => RpcError::internal(text),
            5 => RpcError::resource_not_found(&text),
            6 => RpcError::user_rejected(text),
            7 => RpcError::missing_client_capability(&self.client_capabilities()),
            8 => RpcError::unsupported_version(&text, &[Revision::V2026_07_28]),
            9 => {
                let wanted = ElicitUrlParams::new(text, "https://example.com").elicitation_id("e");
                RpcError::url_elicitation_required(&[wanted]).unwrap()
            }
            _ => RpcError::new(ErrorCode::Other(i64::from(self.byte()) - 32_100), text),
        }
    }

    fn sampling_content(&mut self) -> SamplingContent {
        match self.below(5) {
            0 => SamplingContent::Text(self.text_content()),
            1 => SamplingContent::Image(self.media()),
            2 => SamplingContent::Audio(self.media()),
            3 => {
                let mut tool_use = ToolUseContent::new(self.text(), "t", self.object_json());
                tool_use.meta = self.meta();
                SamplingContent::ToolUse(tool_use)
            }
            _ => {
                let mut result = ToolResultContent::new(self.text(), self.list(Self::content));
                result.structured_content = self.opt(Self::json);
                result.is_error = self.opt(Self::flag);
                result.meta = self.meta();
                SamplingContent::ToolResult(result)
            }
        }
    }

    fn blocks(&mut self) -> SamplingBlocks {
        if self.flag() {
            SamplingBlocks::Many(self.list(Self::sampling_content))
        } else {
            SamplingBlocks::One(self.sampling_content())
        }
    }

    fn create_message(&mut self) -> CreateMessageParams {
        let messages = self.list(|source| {
            let mut message = SamplingMessage::user(source.blocks());
            message.role = source.role();
            message.meta = source.meta();
            message
        });
        let mut params = CreateMessageParams::new(messages, self.number());
        params.model_preferences = self.opt(|source| {
            let mut preferences = ModelPreferences::default();
            preferences.hints = source.list(|source| {
                let mut hint = ModelHint::default();
                hint.name = source.opt(Self::text);
                hint
            });
            preferences.cost_priority = source.opt(Self::float);
            preferences.speed_priority = source.opt(Self::float);
            preferences.intelligence_priority = source.opt(Self::float);
            preferences
        });
        params.system_prompt = self.opt(Self::text);
        params.include_context = self.opt(|source| {
            use IncludeContext::{AllServers, None, ThisServer};
            [None, ThisServer, AllServers][usize::from(source.below(3))]
        });
        params.temperature = self.opt(Self::float);
        params.stop_sequences = self.list(Self::text);
        params.metadata = self.opt(Self::settings);
        params.tools = self.list(Self::tool);
        if self.flag() {
            use ToolChoiceMode::{Auto, None, Required};
            let mode = [Auto, Required, None][usize::from(self.below(3))];
            params = params.tools(self.list(Self::tool), Some(mode));
        }
        params.task = self.opt(Self::task_request);
        params
    }

    fn choices(&mut self) -> Vec<Choice> {
        self.list(|source| {
            let value = source.text();
            if source.flag() { Choice::titled(value, "t") } else { Choice::new(value) }
        })
    }

    fn form_field(&mut self) -> FormField {
        let mut field = match self.below(5) {
            0 => FormField::string(),
            1 => FormField::number(),
            2 => FormField::boolean(),
            3 => FormField::choice(self.choices()),
            _ => FormField::multi_choice(self.choices()),
        };
        match &mut field {
            FormField::String(field) => {
                field.min_length = self.opt(Self::number);
                field.max_length = self.opt(Self::number);
                let formats = ["email", "uri", "date", "date-time", "hostname"];
                field.format = self.opt(|s| formats[usize::from(s.below(5))].to_owned());
                field.default = self.opt(Self::text);
            }
            FormField::Number(field) => {
                field.is_integer = self.flag();
                field.minimum = self.opt(Self::float);
                field.maximum = self.opt(Self::float);
                field.default = self.opt(Self::float);
            }
            FormField::Boolean(field) => field.default = self.opt(Self::flag),
            FormField::Choice(field) => {
                if self.flag() {
                    field.style = TitleStyle::EnumNames;
                }
                field.default = self.opt(Self::text);
            }
            FormField::MultiChoice(field) => {
                field.min_items = self.opt(Self::number);
                field.max_items = self.opt(Self::number);
                field.default = self.opt(|source| source.list(Self::text));
            }
            _ => {}
        }
        if self.flag() {
            field = field.title(self.text()).description(self.text());
        }
        field
    }

    fn elicit(&mut self) -> ElicitParams {
        if self.flag() {
            let mut url = ElicitUrlParams::new(self.text(), "https://example.com");
            url.elicitation_id = self.opt(Self::text);
            url.task = self.opt(Self::task_request);
            return ElicitParams::Url(url);
        }
        let mut form = FormSchema::new();
        for name in ["a", "b"] {
            form = match self.below(3) {
                0 => form,
                1 => form.required(name, self.form_field()),
                _ => form.optional(name, self.form_field()),
            };
        }
        form.dialect = self.opt(|_| "https://json-schema.org/draft/2020-12/schema".to_owned());
        let mut params = ElicitParams::form(self.text(), form);
        if let ElicitParams::Form(form) = &mut params {
            form.states_mode = self.flag();
            form.task = self.opt(Self::task_request);
        }
        params
    }

    fn input_requests(&mut self) -> InputRequests {
        let mut requests = InputRequests::new();
        for key in ["one", "two"] {
            match self.below(4) {
                0 => {}
                1 => requests.insert(key, InputRequest::Elicit(self.elicit())),
                2 => {
                    requests.insert(key, InputRequest::CreateMessage(self.create_message().into()));
                }
                _ => requests.insert(key, InputRequest::ListRoots),
            }
        }
        requests
    }

    fn input_required(&mut self) -> InputRequiredResult {
        let mut result = InputRequiredResult::default();
        result.input_requests = self.input_requests();
        result.request_state = self.opt(|source| RequestState::new(source.text()));
        result.meta = self.result_meta();
        result
    }

    fn input_responses(&mut self) -> InputResponses {
        let mut responses = InputResponses::new();
        match self.below(4) {
            0 => Ok(()),
            1 => responses.insert("one", &self.elicit_result()),
            2 => responses.insert("one", &self.message_result()),
            _ => responses.insert("one", &self.roots_result()),
        }
        .unwrap();
        responses
    }

    fn elicit_result(&mut self) -> ElicitResult {
        let mut result = match self.below(3) {
            0 => ElicitResult::decline(),
            1 => ElicitResult::cancel(),
            _ => {
                let any = ["1", "\"x\"", "true", "[\"a\"]", "null", "{}", "[1]"];
                let values = self.list(|source| {
                    let value = any[usize::from(source.below(7))];
                    (source.text(), RawJson::parse(value).unwrap())
                });
                ElicitResult::accept(values.into_iter().collect())
            }
        };
        result.meta = self.result_meta();
        result
    }

    fn message_result(&mut self) -> CreateMessageResult {
        let mut result = CreateMessageResult::new(self.blocks(), self.text());
        result.role = self.role();
        result.stop_reason = self.opt(Self::text);
        result.meta = self.result_meta();
        result
    }

    fn roots_result(&mut self) -> ListRootsResult {
        let mut result = ListRootsResult::new(self.list(|source| {
            let mut root = Root::new("file:///a");
            root.name = source.opt(Self::text);
            root.meta = source.meta();
            root
        }));
        result.meta = self.result_meta();
        result
    }

    fn filter(&mut self) -> SubscriptionFilter {
        let mut filter = SubscriptionFilter::default();
        filter.tools_list_changed = self.flag();
        filter.prompts_list_changed = self.flag();
        filter.resources_list_changed = self.flag();
        filter.resource_subscriptions = self.list(Self::text);
        filter.task_ids = self.list(Self::text);
        filter
    }

    /// Makes the parameters of a request.
    pub(crate) fn params<R>(&mut self, method: Method, send: impl FnOnce(&dyn Fields) -> R) -> R {
        match method {
            Method::Initialize => {
                let revision = Revision::ALL[usize::from(self.below(5))];
                let capabilities = self.client_capabilities();
                send(&InitializeParams::new(revision, capabilities, self.implementation()))
            }
            Method::Discover | Method::Ping | Method::ListRoots => send(&NoParams {}),
            Method::ListTools
            | Method::ListPrompts
            | Method::ListResources
            | Method::ListResourceTemplates
            | Method::ListTasks => match self.opt(Self::cursor) {
                Some(cursor) => send(&PageParams::at(cursor)),
                None => send(&PageParams::first()),
            },
            Method::CallTool => {
                let arguments = self.object_json();
                let raw: Box<serde_json::value::RawValue> = arguments.decode().unwrap();
                let mut params = CallToolParams::new(self.text());
                params.arguments = self.flag().then_some(raw.get());
                params.task = self.opt(Self::task_request);
                params.input_responses = self.opt(Self::input_responses);
                params.request_state = self.opt(|source| RequestState::new(source.text()));
                send(&params)
            }
            Method::ReadResource => {
                let mut params = ReadResourceParams::new("file:///a");
                params.input_responses = self.opt(Self::input_responses);
                params.request_state = self.opt(|source| RequestState::new(source.text()));
                send(&params)
            }
            Method::Subscribe | Method::Unsubscribe => send(&SubscribeParams::new("file:///a")),
            Method::GetPrompt => {
                let mut params = GetPromptParams::new(self.text());
                params.arguments = self.strings();
                params.input_responses = self.opt(Self::input_responses);
                params.request_state = self.opt(|source| RequestState::new(source.text()));
                send(&params)
            }
            Method::Complete => {
                let mut reference = CompletionRef::resource("file:///{a}");
                if self.flag() {
                    reference =
                        CompletionRef::Prompt { name: self.text(), title: self.opt(Self::text) };
                }
                let mut params = CompleteParams::new(reference, self.text(), self.text());
                if self.flag() {
                    params = params.context(self.strings());
                }
                send(&params)
            }
            Method::SetLevel => send(&SetLevelParams::new(self.level())),
            Method::ListenSubscriptions => send(&ListenParams::new(self.filter())),
            Method::GetTask | Method::GetTaskPayload | Method::CancelTask => {
                send(&TaskParams::new(self.text()))
            }
            Method::UpdateTask => send(&UpdateTaskParams::new(self.text(), self.input_responses())),
            Method::CreateMessage => send(&self.create_message()),
            Method::Elicit => send(&self.elicit()),
            notification => panic!("{notification} is no request"),
        }
    }

    fn outcome<T: ResultBody>(&mut self, complete: T) -> Outcome<T> {
        match self.below(4) {
            0 => Outcome::InputRequired(self.input_required()),
            _ => Outcome::Complete(complete),
        }
    }

    /// Makes the result of a request.
    pub(crate) fn result<R>(
        &mut self,
        method: Method,
        send: impl FnOnce(&dyn ResultBody) -> R,
    ) -> R {
        let meta = self.result_meta();
        let next = self.opt(Self::cursor);
        let hint = self.hint();
        match method {
            Method::Initialize => {
                let revision = Revision::ALL[usize::from(self.below(5))];
                let capabilities = self.server_capabilities();
                let mut result =
                    InitializeResult::new(revision, capabilities, self.implementation());
                result.instructions = self.opt(Self::text);
                result.meta = meta;
                send(&result)
            }
            Method::Discover => {
                let mut result = DiscoverResult::new(&Revision::ALL, self.server_capabilities());
                result.instructions = self.opt(Self::text);
                result.meta = meta;
                send(&result.cache(hint))
            }
            Method::Ping
            | Method::Subscribe
            | Method::Unsubscribe
            | Method::SetLevel
            | Method::UpdateTask => {
                let mut result = EmptyResult::default();
                result.meta = meta;
                send(&result)
            }
            Method::ListTools => {
                let mut result = ListToolsResult::new(self.list(Self::tool));
                result.meta = meta;
                send(&result.next_cursor(next).cache(hint))
            }
            Method::CallTool => {
                let mut result = CallToolResult::new(self.list(Self::content));
                result.structured_content = self.opt(Self::json);
                result.is_error = self.opt(Self::flag);
                result.meta = meta;
                if self.below(8) == 1 {
                    return send(&Outcome::<CallToolResult>::Task(CreateTaskResult::new(
                        self.task(),
                    )));
                }
                send(&self.outcome(result))
            }
            Method::ListResources => {
                let mut result = ListResourcesResult::new(self.list(Self::resource));
                result.meta = meta;
                send(&result.next_cursor(next).cache(hint))
            }
            Method::ListResourceTemplates => {
                let mut result = ListResourceTemplatesResult::new(self.list(Self::template));
                result.meta = meta;
                send(&result.next_cursor(next).cache(hint))
            }
            Method::ReadResource => {
                let mut result = ReadResourceResult::new(self.list(Self::contents)).cache(hint);
                result.meta = meta;
                send(&self.outcome(result))
            }
            Method::ListenSubscriptions => {
                let mut result = ListenResult::new(self.id());
                result.meta.other = meta.other;
                send(&result)
            }
            Method::ListPrompts => {
                let mut result = ListPromptsResult::new(self.list(Self::prompt));
                result.meta = meta;
                send(&result.next_cursor(next).cache(hint))
            }
            Method::GetPrompt => {
                let mut result = GetPromptResult::new(self.list(|source| {
                    let mut message = PromptMessage::user(source.content());
                    message.role = source.role();
                    message
                }));
                result.description = self.opt(Self::text);
                result.meta = meta;
                send(&self.outcome(result))
            }
            Method::Complete => {
                let count = usize::from(self.byte());
                let mut result = CompleteResult::new((0..count).map(|i| i.to_string()));
                result.completion.values.extend(self.list(Self::text));
                result.completion.total = self.opt(Self::number);
                result.meta = meta;
                send(&result)
            }
            Method::GetTask => send(&self.detailed_task()),
            Method::GetTaskPayload => {
                let mut result = RawResult::new(self.settings());
                result.meta = meta;
                send(&result)
            }
            Method::ListTasks => {
                let mut result = ListTasksResult::default();
                result.tasks = self.list(Self::task);
                result.next_cursor = next;
                result.meta = meta;
                send(&result)
            }
            Method::CancelTask => {
                let mut result = CancelTaskResult::new(self.task());
                result.meta = meta;
                send(&result)
            }
            Method::ListRoots => send(&self.roots_result()),
            Method::CreateMessage => send(&self.message_result()),
            Method::Elicit => send(&self.elicit_result()),
            notification => panic!("{notification} has no result"),
        }
    }

    /// Makes and encodes a notification.
    pub(crate) fn notify(
        &mut self,
        method: Method,
        wire: &Wire,
        out: &mut Vec<u8>,
    ) -> Result<(), NotInRevision> {
        let meta = self.notification_meta();
        match method {
            Method::Initialized => wire.notification(out, &Initialized {}, &meta),
            Method::Cancelled => {
                let mut cancelled = Cancelled::new(self.id());
                if self.below(8) == 1 {
                    cancelled.request_id = None;
                }
                cancelled.reason = self.opt(Self::text);
                wire.notification(out, &cancelled, &meta)
            }
            Method::Progress => {
                let mut progress = Progress::new(self.id().into(), self.float());
                progress.total = self.opt(Self::float);
                progress.message = self.opt(Self::text);
                wire.notification(out, &progress, &meta)
            }
            Method::LogMessage => {
                let mut message = LogMessage::new(self.level(), self.json());
                message.logger = self.opt(Self::text);
                wire.notification(out, &message, &meta)
            }
            Method::ToolListChanged => wire.notification(out, &ToolListChanged {}, &meta),
            Method::PromptListChanged => wire.notification(out, &PromptListChanged {}, &meta),
            Method::ResourceListChanged => wire.notification(out, &ResourceListChanged {}, &meta),
            Method::ResourceUpdated => {
                wire.notification(out, &ResourceUpdated::new("file:///a"), &meta)
            }
            Method::RootsListChanged => wire.notification(out, &RootsListChanged {}, &meta),
            Method::ElicitationComplete => {
                wire.notification(out, &ElicitationComplete::new(self.text()), &meta)
            }
            Method::TaskStatus => wire.notification(out, &TaskStatusChanged(self.task()), &meta),
            Method::SubscriptionsAcknowledged => {
                wire.notification(out, &SubscriptionsAcknowledged::new(self.filter()), &meta)
            }
            Method::TaskUpdated => {
                wire.notification(out, &TaskUpdated(self.detailed_task()), &meta)
            }
            request => panic!("{request} is no notification"),
        }
    }
}
