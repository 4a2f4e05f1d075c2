/** Static files of a process without free descriptors. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { truncateSync } from "node:fs";
import { statusOf } from "../support/message.ts";
import { COMMAND, Folder, Program, until } from "../support/program.ts";
import { RawClient } from "../support/raw-client.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

/** Longer than the metadata of a file or folder is cached. */
const LOOKED_AT_AGAIN_MS = 1500;
const DOWNLOADS = 100;
/** More than the socket buffers between client and server hold. */
const LARGE = 32 * 1024 * 1024;

let folder: Folder;
beforeEach(() => (folder = new Folder()));
afterEach(() => folder.remove());

test("a file that cannot be opened without free descriptors is 503 and never 404, and is served when there are some", async () => {
  folder.write("index.html", "hello");
  for (let n = 0; n < DOWNLOADS; n++) truncateSync(folder.write(`${n}.bin`, ""), LARGE);
  const server = { address: "127.0.0.1", port: 0, workers: 1, static_root: folder.path };
  const config = folder.write("turnpike.json", { server, access_log: { enabled: false } });
  const command = ["sh", "-c", 'ulimit -n 200; exec "$@"', "sh", ...COMMAND];
  const program = new Program(["--config", config], { command });
  const clients: RawClient[] = [];
  try {
    const [, text] = await program.sees(/listening on \S+:(\d+)/);
    const port = Number(text);
    const client = await RawClient.open(port);
    clients.push(client);
    // Each download uses a descriptor for its connection, which the gateway has counted, and one for its file.
    for (let n = 0; n < DOWNLOADS; n++) {
      const download = await RawClient.open(port);
      clients.push(download);
      download.socket.pause();
      download.send(`GET /${n}.bin HTTP/1.1\r\nHost: a.test\r\n\r\n`);
    }
    const ask = async (): Promise<number> => {
      client.send("GET /index.html HTTP/1.1\r\nHost: a.test\r\n\r\n");
      return statusOf(await client.response());
    };
    await until("the last descriptor", async () => ((await ask()) === 503 ? true : undefined));
    const statuses = new Set<number>();
    for (const began = performance.now(); performance.now() - began < LOOKED_AT_AGAIN_MS; ) statuses.add(await ask());
    expect([...statuses]).toEqual([503]);
    for (const other of clients.slice(1)) other.destroy();
    await until("the file", async () => ((await ask()) === 200 ? true : undefined));
  } finally {
    for (const client of clients) client.destroy();
    await program.stop();
  }
});
