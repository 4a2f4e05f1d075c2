/** Files that change while they are served, clients that come and go, and the resources that are used meanwhile. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import {
  appendFileSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { connect, constants } from "node:http2";
import { join } from "node:path";
import * as z from "zod";
import { LOCALHOST } from "../support/certificates.ts";
import { type Message, statusOf, valuesOf } from "../support/message.ts";
import { RawClient } from "../support/raw-client.ts";
import { pattern, Site, until } from "./site.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

/** More than the socket buffers between client and server hold, so that most of it stays in the file. */
const LARGE = 32 * 1024 * 1024;

let site: Site;
beforeEach(() => {
  site = new Site();
});
afterEach(async () => await site.stop());

async function open(path: string): Promise<RawClient> {
  const client = await RawClient.open(site.gateway.port);
  client.send(`GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`);
  return client;
}

/** A client that reads the head and the start of the body, and then stops. */
async function stalled(path: string): Promise<RawClient> {
  const client = await open(path);
  await client.sees("\r\n\r\n");
  client.socket.pause();
  return client;
}

function bodyOf(client: RawClient): string {
  return client.received.slice(client.received.indexOf("\r\n\r\n") + 4);
}

for (const cache of [false, true]) {
  test(`a changed file is served within a second, complete and with its own tag (cache_static_files: ${cache})`, async () => {
    const path = site.write("page.html", "first");
    await site.start({ cache_static_files: cache });
    const before = await site.ask("/page.html");
    expect(before.body).toBe("first");
    writeFileSync(`${path}.new`, "second, and longer");
    renameSync(`${path}.new`, path);
    await until("the new page", async () => {
      const { body } = await site.ask("/page.html");
      expect(["first", "second, and longer"]).toContain(body);
      return body !== "first";
    });
    const after = await site.ask("/page.html");
    expect(valuesOf(after, "etag")).not.toEqual(valuesOf(before, "etag"));
    writeFileSync(path, "third");
    await until("the page that was written over", async () => (await site.ask("/page.html")).body === "third");
    rmSync(path);
    await until("the end of the page", async () => statusOf(await site.ask("/page.html")) === 404);
  });

  test(`a precompressed file can appear and disappear (cache_static_files: ${cache})`, async () => {
    site.write("a.txt", "plain");
    await site.start({ cache_static_files: cache });
    const body = async (): Promise<string> => (await site.ask("/a.txt", "Accept-Encoding: gzip\r\n")).body;
    expect(await body()).toBe("plain");
    const sibling = site.write("a.txt.gz", "gzipped");
    await until("the sibling", async () => (await body()) === "gzipped");
    rmSync(sibling);
    await until("the plain file again", async () => (await body()) === "plain");
  });

  test(`a precompressed file that is older than its file is ignored (cache_static_files: ${cache})`, async () => {
    const sibling = site.write("a.txt.gz", "gzipped");
    const file = site.write("a.txt", "changed");
    const [before, after] = [1_700_000_000, 1_700_000_001];
    utimesSync(file, after, after);
    utimesSync(sibling, before, before);
    await site.start({ cache_static_files: cache });
    const ask = async (): Promise<Message> => await site.ask("/a.txt", "Accept-Encoding: gzip\r\n");
    const response = await ask();
    expect([response.body, valuesOf(response, "content-encoding"), valuesOf(response, "vary")]).toEqual([
      "changed",
      [],
      [],
    ]);
    // Compression tools give the copy the time of its file, some of them in whole seconds.
    utimesSync(file, after + 0.9, after + 0.9);
    utimesSync(sibling, after, after);
    await until("the sibling", async () => (await ask()).body === "gzipped");
    expect(site.openFiles().length).toBeLessThanOrEqual(2);
  });
}

test("a small file that was truncated a moment ago is served with its new content", async () => {
  const path = site.write("log.txt", "x".repeat(10_000));
  await site.start();
  // Its metadata was read, but not its content.
  expect(valuesOf(await site.ask("/log.txt", "", "HEAD"), "content-length")).toEqual(["10000"]);
  truncateSync(path, 10);
  const response = await site.ask("/log.txt");
  expect([statusOf(response), response.body]).toEqual([200, "x".repeat(10)]);
});

test("a file that is truncated while it is sent ends the connection: no incomplete response looks complete", async () => {
  const path = site.write("large.bin", pattern(LARGE));
  await site.start();
  const client = await stalled("/large.bin");
  truncateSync(path, LARGE / 2);
  client.socket.resume();
  await client.closed(30_000);
  const body = Buffer.from(bodyOf(client), "latin1");
  expect(body.length).toBeLessThan(LARGE);
  expect(body.equals(pattern(LARGE).subarray(0, body.length))).toBe(true);
  // The worker continues, and logs no internal error.
  expect(site.gateway.output()).not.toContain("internal error");
  expect(statusOf(await site.ask("/absent"))).toBe(404);
});

test("a file that grows while it is sent is sent with its announced length", async () => {
  const path = site.write("large.bin", pattern(LARGE));
  await site.start();
  const client = await stalled("/large.bin");
  appendFileSync(path, "more".repeat(100_000));
  client.socket.resume();
  const response = await client.response("GET", 30_000);
  expect(Buffer.from(response.body, "latin1").equals(pattern(LARGE))).toBe(true);
  client.send("GET /absent HTTP/1.1\r\nHost: a.test\r\n\r\n");
  expect(statusOf(await client.response())).toBe(404);
  client.destroy();
});

test("a file that is replaced or removed while it is sent is sent to its end", async () => {
  const path = site.write("large.bin", pattern(LARGE));
  await site.start();
  const client = await stalled("/large.bin");
  rmSync(path);
  writeFileSync(path, "another");
  await until("the new file", async () => (await site.ask("/large.bin")).body === "another");
  client.socket.resume();
  const response = await client.response("GET", 30_000);
  expect(Buffer.from(response.body, "latin1").equals(pattern(LARGE))).toBe(true);
  client.destroy();
});

test("descriptors are closed when the clients have left and the file is no longer requested", async () => {
  site.write("large.bin", pattern(LARGE));
  await site.start();
  const clients = await Promise.all(Array.from({ length: 20 }, () => stalled("/large.bin")));
  // One descriptor for all downloads.
  expect(site.openFiles()).toEqual(["large.bin"]);
  const session = connect(`http://127.0.0.1:${site.gateway.port}`);
  const stream = session.request({ ":path": "/large.bin" });
  await new Promise((resolve) => stream.once("response", resolve));
  for (const client of clients) client.destroy();
  stream.close(constants.NGHTTP2_CANCEL);
  // The table closes it after a while.
  await until("no file is open", () => site.openFiles().length === 0);
  session.close();
});

test("slow downloads of too many files get 503 and no descriptor, and the others continue", async () => {
  const body = pattern(8 * 1024 * 1024);
  const first = site.write("files/0.bin", body);
  // For the gateway, hard links to one inode are separate files, and they need no disk space.
  const count = 1100;
  for (let n = 1; n < count; n++) linkSync(first, join(site.root, `files/${n}.bin`));
  const timeouts = { idle_ms: patient(60_000), write_ms: patient(60_000) };
  await site.start({ max_connections: 4096 }, { buffer_pool: { buffer_count: 16_384 }, timeouts });
  const clients: RawClient[] = [];
  let busy = 0;
  for (let n = 0; n < count; n++) {
    const client = await stalled(`/files/${n}.bin`);
    if (client.received.startsWith("HTTP/1.1 503")) {
      expect(client.received).toContain("Retry-After: 1\r\n");
      busy++;
      client.destroy();
    } else clients.push(client);
  }
  expect(busy).toBeGreaterThan(0);
  expect(clients.length).toBeGreaterThan(900);
  expect(site.openFiles().length).toBeLessThanOrEqual(1024);
  const [kept, ...gone] = clients;
  for (const client of gone) client.destroy();
  await until("a free descriptor", async () => statusOf(await site.ask("/files/1099.bin", "", "HEAD")) === 200);
  kept?.socket.resume();
  const response = await kept?.response("GET", 30_000);
  expect(Buffer.from(response?.body ?? "", "latin1").equals(body)).toBe(true);
  kept?.destroy();
});

test("the memory of a download does not depend on its length", async () => {
  site.write("large.bin", pattern(LARGE));
  await site.start();
  await site.ask("/large.bin", "", "HEAD");
  const before = site.gateway.memoryKib("VmRSS");
  const clients = await Promise.all(Array.from({ length: 50 }, () => stalled("/large.bin")));
  // 50 downloads of 32 MiB would need 1.6 GiB in memory.
  expect(site.gateway.memoryKib("VmRSS") - before).toBeLessThan(100 * 1024);
  for (const client of clients) client.destroy();
});

test("a folder that a reload removes is closed, and downloads in progress continue", async () => {
  site.write("large.bin", pattern(LARGE));
  await site.start();
  const client = await stalled("/large.bin");
  process.kill(site.gateway.pid, "SIGHUP");
  await until("the reload", () => /reload/i.test(site.gateway.output()));
  client.socket.resume();
  const response = await client.response("GET", 30_000);
  expect(Buffer.from(response.body, "latin1").equals(pattern(LARGE))).toBe(true);
  client.destroy();
  await until("the old table's descriptors are closed", () => site.openFiles().length === 0);
});

test("over HTTP/2, a large file arrives byte for byte, also at a slow client", async () => {
  site.write("large.bin", pattern(5_000_000));
  await site.start();
  const session = connect(`http://127.0.0.1:${site.gateway.port}`);
  const fetchAll = async (slow: boolean): Promise<Buffer> => {
    const chunks: Buffer[] = [];
    const stream = session.request({ ":path": "/large.bin" });
    for await (const chunk of stream) {
      chunks.push(Buffer.from(z.instanceof(Uint8Array).parse(chunk)));
      if (slow && chunks.length % 16 === 0) await Bun.sleep(1);
    }
    return Buffer.concat(chunks);
  };
  const bodies = await Promise.all([fetchAll(false), fetchAll(true), fetchAll(false)]);
  for (const body of bodies) expect(body.equals(pattern(5_000_000))).toBe(true);
  session.close();
});

test("over TLS, large and small files arrive byte for byte", async () => {
  const [cert, key] = [join(site.folder, "cert.pem"), join(site.folder, "key.pem")];
  writeFileSync(cert, LOCALHOST.cert);
  writeFileSync(key, LOCALHOST.key);
  site.write("large.bin", pattern(5_000_000));
  site.write("small.txt", "small");
  const { port } = await startTls(cert, key);
  const options = { tls: { rejectUnauthorized: false } };
  const large = await fetch(`https://127.0.0.1:${port}/large.bin`, options);
  expect(Buffer.from(await large.arrayBuffer()).equals(pattern(5_000_000))).toBe(true);
  expect(await (await fetch(`https://127.0.0.1:${port}/small.txt`, options)).text()).toBe("small");
  expect(readFileSync(join(site.root, "small.txt"), "utf8")).toBe("small");
});

async function startTls(cert: string, key: string): Promise<{ port: number }> {
  const tls = [{ address: "127.0.0.1", port: 0, use_tls: true }];
  const plain = [{ address: "127.0.0.1", port: 0 }];
  await site.start({ listeners: [...plain, ...tls] }, { tls: { cert_path: cert, key_path: key } });
  const listening = (): RegExpExecArray | null => /https:\/\/\S*?:(\d+)/.exec(site.gateway.output());
  await until("the TLS listener is reported", () => listening() !== null);
  return { port: Number(listening()?.[1]) };
}
