/** The language model of /resolve in the whole program: its metrics, and its limit of tokens over restarts. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { startModelServer } from "../../src/content/resolve/testing/model-server.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { COMMAND, Folder, Program } from "../support/program.ts";
import { parseMetrics } from "../support/prometheus.ts";
import { withBrowser } from "../../src/content/testing/state-folder.ts";

setDefaultTimeout(patient(90_000));

const folder = new Folder();
const model = startModelServer();
const article = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () =>
    new Response("<article><p>The ferry Aurora sailed from Harwich on 14 May 2026.</p></article>", {
      headers: { "content-type": "text/html" },
    }),
});
const config = folder.write("config.json", {
  server: { address: "127.0.0.1", port: 0 },
  content: {
    search: { providers: [] },
    resolve: {
      model: { base_url: model.url, model: "made", max_tokens_per_question: 20_000, max_tokens_per_day: 25_000 },
    },
  },
  upstreams: [{ name: "content", servers: [{ unix: "/run/turnpike/content.sock" }] }],
  routes: [{ path_prefix: "/resolve", upstream: "content" }],
});

afterAll(async () => {
  await Promise.all([model.close(), article.stop(true)]);
  folder.remove();
});

async function withProgram(use: (url: string) => Promise<void>): Promise<void> {
  const args = ["--config", config, "--port", "0", "--state-dir", withBrowser(folder.file("state")), "--allow-private"];
  const program = new Program(args, { command: [...COMMAND, "start"] });
  const [, port] = await program.sees(/^gateway +http:\/\/127\.0\.0\.1:(\d+)$[^]*^try /m);
  await use(`http://127.0.0.1:${port}`);
  await program.stop();
}

async function resolved(url: string): Promise<[status: number, detail: unknown]> {
  const response = await fetch(`${url}/resolve`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ question: "Did the ferry Aurora sail from Harwich?", sources: [article.url.href] }),
  });
  return [response.status, Object(await response.json()).detail];
}

/** The samples of the language model's metrics, without the prefix that all names share. */
async function samples(url: string): Promise<Record<string, string>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  parseMetrics(text);
  return Object.fromEntries(
    [...text.matchAll(/^turnpike_model_(\S+) (\S+)$/gm)].map(([, name, value]) => [name, value]),
  );
}

test("the gateway's metrics have the model's tokens, whose limit by day holds over restarts", async () => {
  model.usage = { prompt_tokens: 15_000, completion_tokens: 1_000 };
  await withProgram(async (url) => {
    expect(await resolved(url)).toEqual([200, undefined]);
    const metrics = await samples(url);
    expect(metrics).toEqual({
      'calls_total{result="ok"}': "1",
      'calls_total{result="failed"}': "0",
      'tokens_total{direction="input"}': "15000",
      'tokens_total{direction="output"}': "1000",
      largest_call_tokens: "16000",
      day_tokens: "16000",
      day_tokens_limit: "25000",
      question_tokens_limit: "20000",
      stopped: "0",
    });
  });
  model.usage = { prompt_tokens: 9_000, completion_tokens: 1_000 };
  await withProgram(async (url) => {
    expect(await samples(url)).toMatchObject({ 'calls_total{result="ok"}': "0", day_tokens: "16000" });
    expect(await resolved(url)).toEqual([200, undefined]);
    expect(await resolved(url)).toEqual([
      502,
      "Cannot resolve the question: the language model failed: max_tokens_per_day is used up (0 calls, 0 tokens)",
    ]);
    expect(await samples(url)).toMatchObject({ 'calls_total{result="ok"}': "1", day_tokens: "26000", stopped: "0" });
  });
  expect([model.asked.length, model.checks.length]).toEqual([2, 0]);
});
