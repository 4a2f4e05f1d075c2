/** A process with few file descriptors: it refuses clients while it still has enough to accept and refuse them. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { statusOf } from "../support/message.ts";
import { COMMAND, Folder, Program, until } from "../support/program.ts";
import { RawClient } from "../support/raw-client.ts";
import { patient } from "../../src/lib/testing/patience.ts";

const TIME_MS = patient(40_000);
const GET = "GET /a.txt HTTP/1.1\r\nHost: a.test\r\n\r\n";
const LIMIT = 128;
/** 64 of these are the process's own, 16 are for refusals and 16 for files. */
const ROOM = 32;

let folder: Folder;
let program: Program | undefined;
const clients: RawClient[] = [];

beforeEach(() => {
  folder = new Folder();
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await program?.stop();
  folder.remove();
});

async function serve(): Promise<{ started: Program; port: number }> {
  folder.write("a.txt", "hello");
  const server = { address: "127.0.0.1", port: 0, workers: 1, static_root: folder.path };
  const config = folder.write("turnpike.json", { server });
  const command = ["sh", "-c", `ulimit -n ${LIMIT} && exec "$@"`, "sh", ...COMMAND];
  const started = new Program(["--config", config], { command });
  program = started;
  const [, port] = await started.sees(/listening on http:\/\/\S*?:(\d+)/);
  return { started, port: Number(port) };
}

/** The status of a GET by a new client; 0 if it is closed without a response. */
async function statusOfNew(port: number): Promise<number> {
  const client = await RawClient.open(port).catch(() => undefined);
  // Reset before the client knew that it was open.
  if (client === undefined) return 0;
  clients.push(client);
  client.send(GET);
  return await client.response().then(statusOf, () => 0);
}

function connected(): readonly RawClient[] {
  return clients.filter(({ state }) => state === "open");
}

test(
  "clients beyond the descriptor limit are refused, and connected ones are served",
  async () => {
    const { started, port } = await serve();
    expect(started.output).toContain(`allows a process only ${LIMIT} open files: each worker accepts ${ROOM} clients`);
    for (let i = 0; i < ROOM; i++) expect(await statusOfNew(port)).toBe(200);
    const statuses = await Promise.all(Array.from({ length: 2 * LIMIT }, () => statusOfNew(port)));
    // On a busy machine a second passes, after which an idle client gives its place to a new one.
    expect(statuses.filter((status) => ![200, 503, 0].includes(status))).toEqual([]);
    await until("refused clients are disconnected", () => (connected().length <= ROOM ? true : undefined));
    expect(readdirSync(`/proc/${started.pid}/fd`).length).toBeLessThan(LIMIT);
    const [first, second] = connected();
    if (first === undefined || second === undefined) throw new Error("nobody stayed");
    first.send(GET);
    expect(statusOf(await first.response())).toBe(200);
    second.destroy();
    await until("a free place", async () => ((await statusOfNew(port)) === 200 ? true : undefined));
  },
  TIME_MS,
);
