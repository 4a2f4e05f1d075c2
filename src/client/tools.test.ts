/** The tools for agents, called by the real AI SDK with a model that follows a script, and by the real LangChain. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { generateText, isStepCount } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { PRIVATE_KEY, REQUIREMENTS } from "../payments/testing/payment.ts";
import { encodeHeader } from "../payments/x402/header.ts";
import { turnpikeTools as aiTools } from "./ai.ts";
import { Turnpike } from "./client.ts";
import { turnpikeTools as langchainTools } from "./langchain.ts";
import { TOOL_OPERATIONS } from "./tool-operations.ts";
import { agentTools } from "./tools.ts";

const STARTED = { id: "j1", secret: "s1", status: "/crawl/j1", results: "/crawl/j1/results" };
const PICTURE = Uint8Array.of(1, 2, 3);

let gateway: Bun.Server<undefined>;
let seen: { readonly path: string; readonly body: unknown; readonly secret: string | null }[];

/** The response of an operation, or of a request about its job. */
function respond(path: string): Response {
  if (path === "/screenshot") return new Response(PICTURE, { headers: { "content-type": "image/png" } });
  if (path === "/crawl") return Response.json(STARTED, { status: 202 });
  return Response.json(path.startsWith("/crawl/") ? { state: "completed", results: [] } : { content: "the article" });
}

beforeAll(() => {
  gateway = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const isFree = pathname.startsWith("/crawl/");
      if (!isFree && !request.headers.has("payment-signature")) {
        const required = { x402Version: 2, resource: { url: request.url }, accepts: [REQUIREMENTS] };
        return new Response("{}", { status: 402, headers: { "payment-required": encodeHeader(required) } });
      }
      const body: unknown = isFree ? null : await request.json();
      seen.push({ path: pathname + search, body, secret: request.headers.get("x-job-secret") });
      return respond(pathname);
    },
  });
});

afterAll(() => gateway.stop(true));

beforeEach(() => {
  seen = [];
});

const failureOf = (promise: unknown): Promise<string> => Promise.resolve(promise).then(JSON.stringify, String);
const turnpike = (limits: { maxPrice?: string; maxTotal?: string } = {}): Turnpike =>
  new Turnpike({ url: gateway.url, privateKey: PRIVATE_KEY, ...limits });

test("the tools refuse an option with a wrong name", () => {
  const options: object = { maxPrise: "0.001" };
  expect(() => agentTools(turnpike(), options)).toThrow("known are only, maxPrice");
});

/** A model that makes these calls, one in each step, and then ends. */
function scripted(...calls: readonly (readonly [name: string, input: object])[]): MockLanguageModelV4 {
  const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 };
  const result = { usage: { inputTokens: none, outputTokens: none }, warnings: [] };
  return new MockLanguageModelV4({
    doGenerate: [
      ...calls.map(([toolName, input], step) => ({
        ...result,
        finishReason: { unified: "tool-calls" as const, raw: undefined },
        content: [{ type: "tool-call" as const, toolCallId: `call-${step}`, toolName, input: JSON.stringify(input) }],
      })),
      { ...result, finishReason: { unified: "stop", raw: undefined }, content: [{ type: "text", text: "done" }] },
    ],
  });
}

test("the AI SDK calls operations, and the model gets texts and pictures", async () => {
  const model = scripted(
    ["read", { url: "https://example.com/" }],
    ["screenshot", { url: "https://example.com/", width: 300 }],
  );
  const { text } = await generateText({
    model,
    tools: aiTools(turnpike(), { only: ["read", "screenshot"] }),
    stopWhen: isStepCount(5),
    prompt: "Read it",
  });
  expect(text).toBe("done");
  expect(seen).toMatchObject([
    { path: "/read", body: { url: "https://example.com/" } },
    { path: "/screenshot", body: { url: "https://example.com/", width: 300 } },
  ]);
  const [first, , last] = model.doGenerateCalls;
  const offered = first?.tools?.map((tool) => (tool.type === "function" ? [tool.name, tool.inputSchema] : tool));
  expect(offered).toEqual([
    ["read", TOOL_OPERATIONS.read.parameters],
    ["screenshot", TOOL_OPERATIONS.screenshot.parameters],
  ]);
  const outputs = last?.prompt.flatMap(({ role, content }) =>
    role === "tool" ? content.map((part) => (part.type === "tool-result" ? part.output : part)) : [],
  );
  expect(outputs).toMatchObject([
    { type: "text", value: '{"content":"the article"}' },
    { type: "content", value: [{ type: "file", mediaType: "image/png", data: { type: "data", data: "AQID" } }] },
  ]);
});

test("the AI SDK tells the model that a limit refused a payment", async () => {
  const model = scripted(["read", { url: "https://example.com/" }], ["read", { url: "https://example.org/" }]);
  const tools = aiTools(turnpike({ maxTotal: "$0.015" }));
  await generateText({ model, tools, stopWhen: isStepCount(5), prompt: "Read both" });
  const prompt = JSON.stringify(model.doGenerateCalls[2]?.prompt);
  expect(prompt).toContain("Cannot pay $0.01: $0.01 of the limit of $0.015 for all calls are used up");
  expect(seen).toHaveLength(1);
});

test("LangChain's tools return the content for the model and the response as artifact", async () => {
  const tools = langchainTools(turnpike(), { only: ["read", "screenshot"], maxPrice: "0.01" });
  const call = async (name: string, args: Record<string, unknown>): Promise<unknown> =>
    await tools.find((tool) => tool.name === name)?.invoke({ type: "tool_call", id: "1", name, args });
  expect(await call("read", { url: "https://example.com/" })).toMatchObject({
    content: '{"content":"the article"}',
    artifact: { content: "the article" },
  });
  expect(await call("screenshot", { url: "https://example.com/" })).toMatchObject({
    content: [{ type: "image", mimeType: "image/png", data: "AQID" }],
  });
  expect(await failureOf(call("read", { url: 7 }))).toMatch(/^\w*Error: .*schema/);
  expect(seen).toHaveLength(2);
  const dear = langchainTools(turnpike(), { maxPrice: "0.009" })[0];
  expect(await failureOf(dear?.invoke({ query: "x" }))).toContain("the limit is $0.009");
});

test("a crawl is followed by its name, and the model never sees its secret", async () => {
  const tools = agentTools(turnpike());
  const run = (name: string, input: object): unknown =>
    tools.find((tool) => tool.name === name)?.run(input, AbortSignal.timeout(60_000));
  expect(await run("crawl", { urls: ["https://example.com/"], limit: 1 })).toEqual({ job: "j1" });
  expect(await run("job_results", { job: "j1", after: 2, count: 1000 })).toMatchObject({ state: "completed" });
  await run("job_status", { job: "j1" });
  await run("job_cancel", { job: "j1" });
  expect(seen.slice(1)).toEqual(
    ["/crawl/j1/results?after=2&count=100", "/crawl/j1", "/crawl/j1"].map((path) => ({
      path,
      body: null,
      secret: "s1",
    })),
  );
  expect(await failureOf(run("job_status", { job: "j2" }))).toBe("Error: There is no such job");
  expect(agentTools(turnpike(), { only: ["read"] }).map(({ name }) => name)).toEqual(["read"]);
});

test("an unknown operation is named, with those that there are", () => {
  expect(() => agentTools(turnpike(), { only: ["reed" as "read"] })).toThrow(
    /^Cannot make a tool of "reed": there is no such operation; choose of search, .*, read, /,
  );
});

test("the schemas have the size that the guide states", async () => {
  const guide = await Bun.file(new URL("../../docs/guides/agent-tools.md", import.meta.url)).text();
  const stated = /(\d+) kB\s+for all, and (\d+) kB for `search` and `read`/.exec(guide)?.slice(1).map(Number);
  const sizes = [{}, { only: ["search", "read"] as const }].map((options) => {
    const tools = agentTools(turnpike(), options).map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
    }));
    return Math.round(JSON.stringify(tools).length / 1000);
  });
  expect(stated).toEqual(sizes);
});
