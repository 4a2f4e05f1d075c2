/** `turnpike start --take-over PID`: gateway and content service are replaced while a paid call is under way. */
import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { x402Client } from "@x402/core/client";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment } from "@x402/fetch";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { COMMAND, Folder, Program, until } from "../support/program.ts";
import { withBrowser } from "../../src/content/testing/state-folder.ts";

setDefaultTimeout(patient(90_000));

const SENTENCE = "A ferry leaves when the one before it has landed, and no traveller waits on the quay for long. ";

const folder = new Folder();
const asked = Promise.withResolvers<void>();
const release = Promise.withResolvers<void>();
const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch({ url }) {
    if (url.endsWith("/slow")) {
      asked.resolve();
      await release.promise;
    }
    const html = `<!doctype html><title>Ferries</title><article><h1>Ferries</h1><p>${SENTENCE.repeat(9)}</p></article>`;
    return new Response(html, { headers: { "content-type": "text/html" } });
  },
});
const programs: Program[] = [];

afterAll(async () => {
  release.resolve();
  const left = successor();
  if (left !== undefined) process.kill(left, "SIGTERM");
  for (const program of programs) await program.stop();
  await site.stop(true);
  folder.remove();
});

async function start(port: number, more: readonly string[] = []): Promise<Program> {
  const args = ["--port", String(port), "--state-dir", withBrowser(folder.file("state")), "--allow-private", ...more];
  const program = new Program(args, { command: [...COMMAND, "start"] });
  programs.push(program);
  await program.sees(/^try /m);
  return program;
}

/** The process that `--detach` left: of this test's folder, with no parent of the test. */
function successor(): number | undefined {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, "latin1").split("\0");
      const isOurs = words.includes("start") && words.includes(folder.file("state")) && words.includes("--take-over");
      return isOurs && !words.includes("--detach") ? [Number(name)] : [];
    } catch {
      // No process, or it has ended.
      return [];
    }
  })[0];
}

test("a paid call ends at the old process, and the next call goes to the new one, with ledger and admin interface", async () => {
  const port = await freePort();
  const account = privateKeyToAccount(generatePrivateKey());
  const client = new x402Client().register("eip155:*", new ExactEvmScheme(account));
  const pay = wrapFetchWithPayment(fetch, client);
  const read = async (path: string): Promise<string> => {
    const response = await pay(`http://127.0.0.1:${port}/read`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url: `http://127.0.0.1:${site.port}${path}` }),
    });
    return `${response.status} ${await response.text()}`;
  };
  const before = await start(port, ["--admin-port", String(await freePort())]);
  const second = new Program(["--port", "0", "--state-dir", folder.file("state")], { command: [...COMMAND, "start"] });
  expect(await second.exit()).toBe(1);
  expect(second.output).toContain(`process ${before.pid} uses the state folder`);
  expect(readFileSync(folder.file("state/admin-address"), "latin1")).toContain(`\n${before.pid}\n`);
  const slow = read("/slow");
  await asked.promise;
  // Ends when the new one serves; what it writes later is the new one's.
  const after = await start(port, ["--take-over", String(before.pid), "--detach"]);
  await until("the new process", () => (successor() === undefined ? undefined : true));
  await before.sees(/another gateway takes over/);
  expect(await read("/quick")).toMatch(/^200 .*no traveller waits/);
  release.resolve();
  expect(await slow).toMatch(/^200 .*no traveller waits/);
  expect(await before.exit()).toBe(0);
  await after.sees(/took over from process/);
  const status = Bun.spawnSync([...COMMAND, "status", "--state-dir", folder.file("state")]);
  expect(status.stderr.toString()).toBe("");
  expect(status.exitCode).toBe(0);
  const database = new Database(folder.file("state/turnpike.db"), { readonly: true });
  const rows = database.query("SELECT state, delivered FROM payments").all();
  database.close();
  expect(rows).toEqual(Array.from({ length: 2 }, () => ({ state: "settled", delivered: 1 })));
});
