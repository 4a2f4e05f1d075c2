/** The behaviour of the test model. */
export type ModelMode =
  | "well"
  | "fenced"
  | "thinks"
  | "drafts"
  | "says"
  | "slowly"
  | "stalls"
  | "drips"
  | "invents"
  | "broken"
  | "off-schema"
  | "refuses"
  | "cut"
  | "busy"
  | "fails"
  | "redirects"
  | "huge"
  | "garbage"
  | "loud";

/** The question and its sources in the model's view. */
export interface ModelTask {
  readonly question: string;
  readonly sources: readonly { readonly source: number; readonly url: string; readonly text: string }[];
}

/** A request that the model's server received. */
export interface ModelRequest {
  readonly path: string;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
  readonly task: ModelTask;
}

export interface MadeModel {
  /** Its base URL, for both protocols. */
  readonly url: string;
  mode: ModelMode;
  /**
   * The model's answer to a question in a successful response: an object, or in the mode `says` the whole text. By
   * default it is the first sentence of each source, for YES.
   */
  answer: (task: ModelTask) => unknown;
  /** The requests with a question. */
  readonly asked: ModelRequest[];
  /** The requests without sources, which only check whether the model responds. */
  readonly checks: ModelRequest[];
  /** The usage in successful responses. Undefined: the examples of the references. */
  usage: object | undefined;
  /** Clients that disconnected before they received their response. */
  left: number;
  close(): Promise<void>;
}

interface Call {
  readonly body: Readonly<Record<string, unknown>>;
  readonly task: ModelTask;
  readonly anthropic: boolean;
}

/** A language model's server for tests, on a loopback port. It supports both protocols as documented. */
export function startModelServer(): MadeModel {
  const asked: ModelRequest[] = [];
  const checks: ModelRequest[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const path = new URL(request.url).pathname;
      // The analyst's requests are such objects. A test of the wire format checks them in detail.
      const body = (await request.json()) as Record<string, unknown>;
      const task = taskOf(body);
      (task.sources.length === 0 ? checks : asked).push({ path, headers: request.headers, body, task });
      request.signal.addEventListener("abort", () => (made.left += 1), { once: true });
      const anthropic = path.endsWith("/messages");
      if (!anthropic && !path.endsWith("/chat/completions")) return new Response("no such path", { status: 404 });
      return await RESPONSES[made.mode](made, { body, task, anthropic });
    },
  });
  const made: MadeModel = {
    url: `http://127.0.0.1:${server.port}/v1`,
    mode: "well",
    answer: firstSentences,
    asked,
    checks,
    usage: undefined,
    left: 0,
    async close() {
      await server.stop(true);
    },
  };
  return made;
}

/** Each source's first sentence, for YES. */
export function firstSentences({ sources }: ModelTask): unknown {
  return analysisOf(sources.map(({ source, text }) => ({ source, quote: /^[^.]*\./.exec(text.trim())?.[0] ?? text })));
}

/** A complete response of a model that says YES with these quotes. */
export function analysisOf(quotes: readonly { readonly source: number; readonly quote: string }[]): unknown {
  const statements = quotes.map((one) => ({ ...one, supports: "YES", kind: "report", strength: 0.9, date: "" }));
  return { statements, probability: 0.9, reasoning: "The sources report it." };
}

function taskOf(body: Readonly<Record<string, unknown>>): ModelTask {
  const messages = body["messages"];
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const content: unknown = typeof last === "object" && last !== null ? Reflect.get(last, "content") : "";
  const text: unknown = Array.isArray(content) ? Reflect.get(Object(content[0]), "text") : content;
  // The prompt contains this object.
  return JSON.parse(String(text)) as ModelTask;
}

type Respond = (model: MadeModel, call: Call) => Response | Promise<Response>;

const RESPONSES: Readonly<Record<ModelMode, Respond>> = {
  well: (model, call) => {
    const value = model.answer(call.task);
    return "tools" in call.body
      ? messageOf([{ type: "tool_use", id: "toolu_01", name: "json", input: value }], "tool_use", model.usage)
      : said(model, call, JSON.stringify(value));
  },
  fenced: (model, call) => said(model, call, `Here it is:\n\`\`\`json\n${goodText(model, call)}\n\`\`\``),
  thinks: (model, call) => {
    const draft = JSON.stringify(analysisOf(call.task.sources.map(inventedQuote)));
    const thoughts = `<think>\nThe user wants {"statements": [...]}. A draft: ${draft}\n</think>`;
    return said(model, call, `${thoughts}\n\nHere is the JSON:\n\`\`\`json\n${goodText(model, call)}}\n\`\`\`\nDone.`);
  },
  drafts: (model, call) => {
    const draft = JSON.stringify(analysisOf(call.task.sources.map(inventedQuote)));
    return said(model, call, `First: ${draft} No, it is {"statements": 1}. Better:\n${goodText(model, call)}`);
  },
  says: (model, call) => said(model, call, String(model.answer(call.task))),
  stalls: () => partial(() => undefined),
  drips: () => {
    let timer: ReturnType<typeof setInterval> | undefined;
    return partial(
      (controller) => (timer = setInterval(() => controller.enqueue(Buffer.from(" ")), 5)),
      () => clearInterval(timer),
    );
  },
  slowly: () => new Promise<Response>(() => undefined),
  invents: (model, call) => said(model, call, JSON.stringify(analysisOf(call.task.sources.map(inventedQuote)))),
  broken: (model, call) => said(model, call, half(goodText(model, call))),
  "off-schema": (model, call) => said(model, call, goodText(model, call).replaceAll('"YES"', '"CERTAINLY"')),
  refuses: (_model, { anthropic }) =>
    anthropic ? messageOf([], "refusal") : completion(null, "stop", { refusal: "I can't help with that." }),
  cut: (model, call) =>
    call.anthropic
      ? messageOf([{ type: "text", text: half(goodText(model, call)) }], "max_tokens")
      : completion(half(goodText(model, call)), "length"),
  busy: (_model, { anthropic }) => problem(429, anthropic ? "rate_limit_error" : "rate_limit_exceeded"),
  fails: (_model, { anthropic }) => problem(500, anthropic ? "api_error" : "server_error"),
  redirects: ({ url }) => new Response(null, { status: 307, headers: { location: `${url}/elsewhere` } }),
  huge: () => endless(),
  garbage: () => new Response("<html>a proxy's page</html>", { headers: { "content-type": "text/html" } }),
  loud: (_model, { body }) => new Response(`this was asked: ${JSON.stringify(body)}`, { status: 401 }),
};

function goodText(model: MadeModel, { task }: Call): string {
  return JSON.stringify(model.answer(task));
}

function half(text: string): string {
  return text.slice(0, text.length / 2);
}

function inventedQuote({ source }: { readonly source: number }): { source: number; quote: string } {
  return { source, quote: "The committee confirmed on Tuesday that it has happened." };
}

function said({ usage }: MadeModel, { anthropic }: Call, text: string): Response {
  return anthropic ? messageOf([{ type: "text", text }], "end_turn", usage) : completion(text, "stop", { usage });
}

/** The chat completion object of OpenAI's reference. */
function completion(
  content: string | null,
  finish: string,
  { refusal = null, usage }: { readonly refusal?: string | null; readonly usage?: object | undefined } = {},
): Response {
  const message = { role: "assistant", content, refusal, annotations: [] };
  return Response.json({
    id: "chatcmpl-123",
    object: "chat.completion",
    created: 1_741_569_952,
    model: "made-model",
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    usage: usage ?? { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 },
  });
}

/** The message object of Anthropic's reference. */
function messageOf(content: readonly unknown[], stop: string, usage?: object): Response {
  return Response.json({
    id: "msg_013Zva2CMHLNnXjNJJKqJ2EF",
    type: "message",
    role: "assistant",
    model: "made-model",
    content,
    stop_reason: stop,
    stop_sequence: null,
    usage: usage ?? { input_tokens: 2095, output_tokens: 503 },
  });
}

function problem(status: number, type: string): Response {
  return Response.json(
    { type: "error", error: { type, code: type, param: null, message: "See https://secret.example/ for more" } },
    { status, headers: { "retry-after": "7" } },
  );
}

/** A response whose body begins and does not end. */
function partial(start: (controller: ReadableStreamDefaultController) => unknown, cancel?: () => void): Response {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from('{"id": '));
      start(controller);
    },
    ...(cancel === undefined ? {} : { cancel }),
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
}

function endless(): Response {
  const chunk = new Uint8Array(64 * 1024).fill(32);
  return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }), {
    headers: { "content-type": "application/json" },
  });
}
