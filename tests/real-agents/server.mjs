// A scripted model server on loopback: Anthropic Messages, OpenAI Responses and Chat Completions, Gemini.
// The first part of a request's path names the script: /write/v1/messages plays `write` to a Messages client.
// It keeps no state: what to answer follows from the request alone, so agents may ask in any order and retry.
import http from "node:http";
import { writeFileSync } from "node:fs";
import { promptIn, steps } from "./worker.mjs";

const [portFile] = process.argv.slice(2);
const USAGE = { input: 1200, cached: 200, output: 34 };
const RESET_SECONDS = 3600;

const server = http.createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => (body += chunk));
  request.on("end", () => answer(request, body, response));
  request.on("error", () => {});
});
server.keepAliveTimeout = 1000;
server.listen(0, "127.0.0.1", () => writeFileSync(portFile, String(server.address().port)));

function answer(request, body, response) {
  const { pathname } = new URL(request.url, "http://localhost");
  const [, script, ...rest] = pathname.split("/");
  const path = rest.join("/");
  const api = apiOf(path);
  if (process.env.SERVER_LOG) console.error(request.method, request.url, body.length);
  if (request.method === "GET" || request.method === "HEAD") return json(response, 200, { object: "list", data: [{ id: "scripted", object: "model" }] });
  if (path.endsWith("count_tokens")) return json(response, 200, { input_tokens: USAGE.input });
  if (path.endsWith(":countTokens")) return json(response, 200, { totalTokens: USAGE.input });
  if (!api) return json(response, 404, { error: { message: `no such path: ${path}` } });
  const parsed = parse(body);
  const play = script.startsWith("flow-") ? flow(script.slice("flow-".length)) : SCRIPTS[script];
  if (!play) return json(response, 404, { error: { message: `no such script: ${script}` } });
  play({ api, path, request: parsed, body, response });
}

function apiOf(path) {
  if (path.endsWith("/messages") || path === "messages") return anthropic;
  if (path.endsWith("responses")) return responses;
  if (path.endsWith("chat/completions")) return chat;
  if (/:(stream)?[gG]enerateContent$/.test(path)) return gemini;
  return undefined;
}

const SCRIPTS = {
  write(call) {
    const step = nextStep(call);
    call.api.send(call, step);
  },
  // A shell command that leaves a daemon behind, in a session of its own.
  background(call) {
    call.api.send(call, nextStep(call, SHELLS, (target) => `setsid sleep ${sleepIn(call.body)} >/dev/null 2>&1 & printf 'hello\\n' > ${target}`));
  },
  // A shell command that tries to write where it must not, then where it may.
  outside(call) {
    const outside = /OUTSIDE=([^\s"'\\<]+)/.exec(call.body)?.[1];
    call.api.send(call, nextStep(call, SHELLS, (target) => `printf 'hello\\n' > ${outside}; printf 'hello\\n' > ${target}`));
  },
  401: (call) => refuse(call, 401, "invalid x-api-key"),
  429: (call) => refuse(call, 429, "This request would exceed your account's rate limit. Please try again later."),
  // A reset that is near: agents wait for it, try again a few times and then give up.
  "429-soon": (call) => refuse(call, 429, "This request would exceed your account's rate limit. Please try again later.", undefined, 1),
  usage: (call) => refuse(call, 429, "You have hit your usage limit.", "usage_limit_reached"),
  529: (call) => refuse(call, 529, "Overloaded"),
  cut(call) {
    call.api.send({ ...call, cut: true }, { text: "I will now" });
  },
  silence(call) {
    // Headers and then nothing, as a stuck proxy does it.
    call.response.writeHead(200, { "content-type": "text/event-stream" });
    call.response.flushHeaders();
  },
};

/** A worker who does what the prompt of a flow asks for, one tool call an answer; how many results are there says how far it is. */
function flow(scenario) {
  if (["429", "silence"].includes(scenario)) return SCRIPTS[scenario];
  return (call) => {
    const { api, request } = call;
    const tools = api.tools(request);
    const prompt = promptIn(request);
    const done = api.toolResults(request);
    const step = prompt && tools.length > 0 ? steps(prompt, scenario)[done] : undefined;
    if (!step) return api.send(call, { text: "Done." });
    const tool = step.shell ? pick(tools, SHELLS) : pick(tools, PREFERRED);
    if (!tool) return api.send(call, { text: "There is no tool for this." });
    const line = step.shell ?? `cat > '${step.file}' <<'DOCUMENT'\n${step.text}\nDOCUMENT`;
    api.send(call, { number: done + 1, tool: { name: tool.name, args: fill(tool, step.file, line, step.text) } });
  };
}

/** A tool call that writes the file the prompt names; once its result is there, a closing sentence. */
function nextStep({ api, request, body }, preferred = PREFERRED, line = (target) => `printf 'hello\\n' > ${target}`) {
  const target = /TARGET=([^\s"'\\<]+)/.exec(body)?.[1];
  const tools = api.tools(request);
  if (api.toolResults(request) > 0 || !target) return { text: "The file is written." };
  if (tools.length === 0) return { text: asWholeFile(target) };
  const tool = pick(tools, preferred);
  if (!tool) return { text: "There is no tool to write with." };
  return { tool: { name: tool.name, args: fill(tool, target, line(target)) } };
}

/** Agents tell the results of calls apart by these. */
const idOf = (step) => String(step.number ?? 1).padStart(4, "0");
const sleepIn = (body) => /SLEEP=([0-9]+)/.exec(body)?.[1] ?? "31536";

/** For agents without tools (aider) an answer in their own form. */
function asWholeFile(target) {
  const name = target.split("/").pop();
  return `${name}\n\`\`\`\nhello\n\`\`\`\n`;
}

const SHELLS = ["exec_command", "shell_command", "shell", "bash", "Bash", "run_shell_command", "developer__shell"];
const PREFERRED = ["Write", "write_file", "write", "create", "developer__write", "developer__text_editor", "text_editor", ...SHELLS];

function pick(tools, preferred) {
  for (const name of preferred) {
    const tool = tools.find((tool) => tool.name === name);
    if (tool) return tool;
  }
  return undefined;
}

function fill(tool, target, shell, text = "hello\n") {
  const properties = tool.schema?.properties ?? {};
  const args = {};
  for (const [name, property] of Object.entries(properties)) {
    const list = property.type === "array";
    if (["file_path", "filePath", "path", "absolute_path"].includes(name)) args[name] = target;
    else if (["content", "file_text", "contents"].includes(name)) args[name] = text;
    else if (name === "command" && "path" in properties) args[name] = "write";
    else if (name === "command" || name === "cmd") args[name] = list ? ["sh", "-c", shell] : shell;
    else if (name === "description") args[name] = "write a file";
  }
  return args;
}

function refuse({ api, response }, status, message, type, wait = RESET_SECONDS) {
  const reset = Math.floor(Date.now() / 1000) + wait;
  const headers = status === 429
    ? {
        "retry-after": String(wait),
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": String(reset),
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
      }
    : {};
  json(response, status, api.error(status, message, type, reset, wait), headers);
}

const anthropic = {
  tools: (request) => (request.tools ?? []).map((tool) => ({ name: tool.name, schema: tool.input_schema })),
  toolResults: (request) => (request.messages ?? []).flatMap((message) => (Array.isArray(message.content) ? message.content : [])).filter((part) => part.type === "tool_result").length,
  error(status, message) {
    const type = { 401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error" }[status] ?? "api_error";
    return { type: "error", error: { type, message } };
  },
  send({ response, request, cut }, step) {
    const usage = { input_tokens: USAGE.input - USAGE.cached, cache_read_input_tokens: USAGE.cached, cache_creation_input_tokens: 0, output_tokens: USAGE.output };
    const block = step.tool
      ? { type: "tool_use", id: `toolu_${idOf(step)}`, name: step.tool.name, input: step.tool.args }
      : { type: "text", text: step.text };
    const stop_reason = step.tool ? "tool_use" : "end_turn";
    const message = { id: `msg_${idOf({ number: this.toolResults(request) + 1 })}`, type: "message", role: "assistant", model: request.model ?? "scripted", content: [], stop_reason: null, stop_sequence: null, usage };
    if (!request.stream) return json(response, 200, { ...message, content: [block], stop_reason });
    const delta = step.tool
      ? { type: "input_json_delta", partial_json: JSON.stringify(step.tool.args) }
      : { type: "text_delta", text: step.text };
    const start = step.tool ? { ...block, input: {} } : { type: "text", text: "" };
    const events = [
      ["message_start", { message }],
      ["content_block_start", { index: 0, content_block: start }],
      ["content_block_delta", { index: 0, delta }],
      ["content_block_stop", { index: 0 }],
      ["message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: USAGE.output } }],
      ["message_stop", {}],
    ].map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    stream(response, events, cut);
  },
};

const responses = {
  tools: (request) => (request.tools ?? []).filter((tool) => tool.type === "function").map((tool) => ({ name: tool.name, schema: tool.parameters })),
  toolResults: (request) => (Array.isArray(request.input) ? request.input : []).filter((item) => String(item.type).endsWith("_call_output")).length,
  error: (status, message, type, reset, wait) => ({
    error: { type: type ?? (status === 429 ? "rate_limit_exceeded" : "invalid_request_error"), code: null, message, plan_type: "plus", resets_at: reset, resets_in_seconds: wait },
  }),
  send({ response, cut }, step) {
    const item = step.tool
      ? { type: "function_call", id: `fc_${idOf(step)}`, call_id: `call_${idOf(step)}`, name: step.tool.name, arguments: JSON.stringify(step.tool.args), status: "completed" }
      : { type: "message", id: "item_0001", role: "assistant", status: "completed", content: [{ type: "output_text", text: step.text, annotations: [] }] };
    const usage = { input_tokens: USAGE.input, input_tokens_details: { cached_tokens: USAGE.cached }, output_tokens: USAGE.output, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: USAGE.input + USAGE.output };
    const base = { id: "resp_0001", object: "response", created_at: 1, model: "scripted", status: "in_progress", output: [] };
    const events = [
      ["response.created", { response: base }],
      ["response.output_item.added", { output_index: 0, item: { ...item, status: "in_progress" } }],
      ["response.output_item.done", { output_index: 0, item }],
      ["response.completed", { response: { ...base, status: "completed", output: [item], usage } }],
    ].map(([type, data], n) => `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: n, ...data })}\n\n`);
    stream(response, events, cut);
  },
};

const chat = {
  tools: (request) => (request.tools ?? []).map((tool) => ({ name: tool.function?.name, schema: tool.function?.parameters })),
  toolResults: (request) => (request.messages ?? []).filter((message) => message.role === "tool").length,
  error: (status, message, type) => ({ error: { message, type: type ?? (status === 429 ? "rate_limit_exceeded" : "invalid_request_error"), code: String(status) } }),
  send({ response, request, cut }, step) {
    const usage = { prompt_tokens: USAGE.input, completion_tokens: USAGE.output, total_tokens: USAGE.input + USAGE.output, prompt_tokens_details: { cached_tokens: USAGE.cached } };
    const tool_calls = step.tool && [{ index: 0, id: `call_${idOf(step)}`, type: "function", function: { name: step.tool.name, arguments: JSON.stringify(step.tool.args) } }];
    const message = step.tool ? { role: "assistant", content: null, tool_calls } : { role: "assistant", content: step.text };
    const finish_reason = step.tool ? "tool_calls" : "stop";
    const base = { id: "chatcmpl-0001", created: 1, model: request.model ?? "scripted" };
    if (!request.stream) return json(response, 200, { ...base, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage });
    const chunk = (choices, more = {}) => `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices, ...more })}\n\n`;
    const events = [
      chunk([{ index: 0, delta: message, finish_reason: null }]),
      chunk([{ index: 0, delta: {}, finish_reason }]),
      chunk([], { usage }),
      "data: [DONE]\n\n",
    ];
    stream(response, events, cut);
  },
};

const gemini = {
  tools: (request) => (request.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? []).map((tool) => ({ name: tool.name, schema: tool.parametersJsonSchema ?? tool.parameters })),
  toolResults: (request) => (request.contents ?? []).flatMap((content) => content.parts ?? []).filter((part) => part.functionResponse).length,
  error(status, message, type, reset, wait) {
    const name = { 401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED", 529: "UNAVAILABLE" }[status] ?? "UNKNOWN";
    const details = status === 429 ? [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${wait}s` }] : [];
    return { error: { code: status, message, status: name, details } };
  },
  send({ response, path, cut }, step) {
    // What is not streamed are questions of the agent to itself, answered with a form that fits them all.
    const text = path.includes(":stream") ? step.text : JSON.stringify({ reasoning: "-", next_speaker: "user", model_choice: "flash" });
    const part = step.tool && path.includes(":stream") ? { functionCall: { name: step.tool.name, args: step.tool.args } } : { text };
    const answer = {
      candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: USAGE.input, candidatesTokenCount: USAGE.output, cachedContentTokenCount: USAGE.cached, totalTokenCount: USAGE.input + USAGE.output },
      modelVersion: "scripted",
    };
    if (!path.includes(":stream")) return json(response, 200, answer);
    const unfinished = { candidates: [{ content: { role: "model", parts: [part] }, index: 0 }] };
    stream(response, [cut ? unfinished : answer].map((data) => `data: ${JSON.stringify(data)}\n\n`), cut && "after");
  },
};

/** A cut stream loses its end, and the connection with it. */
function stream(response, events, cut) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  if (!cut) return response.end(events.join(""));
  const kept = cut === "after" ? events : events.slice(0, Math.floor((events.length - 1) / 2));
  response.write(kept.join(""), () => setTimeout(() => response.destroy(), 50));
}

function json(response, status, value, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
}

function parse(body) {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}
