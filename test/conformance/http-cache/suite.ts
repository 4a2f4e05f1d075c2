/** The npm package http-cache-tests, run through a real gateway with a cache. */
import { fileURLToPath } from "node:url";
import { Folder, Program } from "../../support/program.ts";

const PACKAGE = new URL("../../../node_modules/http-cache-tests/", import.meta.url);
const SERVER = fileURLToPath(new URL("server/server.mjs", PACKAGE));
const CLIENT = fileURLToPath(new URL("client.mjs", import.meta.url));

/** `own`: a case of this project, which is not scored. */
export type Kind = "required" | "optimal" | "check" | "own";
export type Outcome = "pass" | "fail" | "not run" | "yes" | "no";

export interface TestResult {
  readonly suite: string;
  readonly id: string;
  readonly name: string;
  readonly kind: Kind;
  readonly outcome: Outcome;
  readonly detail: string;
}

interface Printed {
  readonly tests: readonly {
    readonly suite: string;
    readonly id: string;
    readonly name: string;
    readonly kind: Kind;
    readonly dependsOn: readonly string[];
  }[];
  /** True, or the kind of failure and the result. */
  readonly results: Readonly<Record<string, true | readonly [kind: string, detail: string]>>;
}

/** Names of request fields in the suite's Vary fields: a cache stores only variants that its key covers. */
const VARY = ["abc", "foo", "bar", "baz", "accept-language"];

/** Runs all tests, or the one with that id; `dump` prints the bytes on the wire. */
export async function runSuite(cache: object = {}, only = "", dump = false): Promise<TestResult[]> {
  const folder = new Folder();
  const env = { npm_config_protocol: "http", npm_config_port: "0", npm_config_pidfile: folder.write("pid", "") };
  const origin = Bun.spawn(["node", SERVER], {
    cwd: fileURLToPath(PACKAGE),
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let program: Program | undefined;
  try {
    const originPort = await portOf(origin.stdout);
    program = new Program(["--config", folder.write("turnpike.json", configOf(originPort, cache))]);
    const [, port = ""] = await program.sees(/listening on http:\/\/\S*?:(\d+)/);
    const client = Bun.spawn(["node", CLIENT, `http://127.0.0.1:${port}`, only], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const printed = await new Response(client.stdout).text();
    if (dump) console.log(printed);
    return resultsOf(JSON.parse(printed.slice(printed.lastIndexOf("\n") + 1)) as Printed); // The form that client.mjs
    // prints.
  } finally {
    origin.kill();
    await program?.stop();
    await origin.exited;
    folder.remove();
  }
}

/**
 * The assumptions of the suite. Its origin closes connections and responds with 503 on purpose, so that must not take
 * it out of rotation or cause retries. Responses without a declared lifetime must not get one (`ttl_s`).
 */
function configOf(originPort: number, cache: object): object {
  return {
    server: { address: "127.0.0.1", port: 0, workers: 1 },
    access_log: { enabled: false },
    upstreams: [{ name: "origin", servers: [{ address: "127.0.0.1", port: originPort, max_fails: 1_000_000 }] }],
    routes: [
      { path_prefix: "/", upstream: "origin", retry: { max_retries: 0 }, cache: { ttl_s: 0, vary: VARY, ...cache } },
    ],
  };
}

async function portOf(output: ReadableStream<Uint8Array>): Promise<number> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of output) {
    text += decoder.decode(chunk, { stream: true });
    const port = /Listening on \S*:(\d+)\//.exec(text)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error("Cannot run the suite: its server has not started");
}

function resultsOf({ tests, results }: Printed): TestResult[] {
  return tests.map(({ dependsOn, ...test }) => {
    const result = results[test.id];
    const hasPassed = result === true;
    const detail = hasPassed || result === undefined ? "" : result.join(": ");
    if (result === undefined || dependsOn.some((id) => results[id] !== true) || /^(?:Setup|Abort)/.test(detail)) {
      return { ...test, outcome: "not run", detail };
    }
    if (test.kind === "check") return { ...test, outcome: hasPassed ? "yes" : "no", detail };
    return { ...test, outcome: hasPassed ? "pass" : "fail", detail };
  });
}

export interface Score {
  readonly passed: number;
  readonly scored: number;
}

/** The score of the required and the optimal tests. Tests that could not run have not passed. */
export function scoreOf(results: readonly TestResult[]): Score {
  const scored = results.filter(({ kind }) => kind === "required" || kind === "optimal");
  return { passed: scored.filter(({ outcome }) => outcome === "pass").length, scored: scored.length };
}
