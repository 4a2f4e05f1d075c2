/** ACME certificates of the whole program, from pebble. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { connect, type ConnectionOptions } from "node:tls";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { Http3Client } from "../support/http3-client.ts";
import { everythingTo } from "../support/gateway.ts";
import { Folder, Program, until } from "../support/program.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { hasPebble, refusal, TestDirectory } from "./testing/test-directory.ts";

setDefaultTimeout(patient(40_000));

/** The certificate that a client gets for `name`. */
async function shown(port: number, servername: string): Promise<X509Certificate> {
  return (await handshake(port, { servername })).certificate;
}

interface Handshake {
  readonly protocol: string | false | null;
  readonly certificate: X509Certificate;
}

async function handshake(port: number, options: ConnectionOptions): Promise<Handshake> {
  const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, ...options });
  try {
    await once(socket, "secureConnect");
    const certificate = new X509Certificate(socket.getPeerX509Certificate()?.raw ?? "");
    return { protocol: socket.alpnProtocol, certificate };
  } finally {
    socket.destroy();
  }
}

/** The highest status of some requests on one connection. */
async function requestOverHttp2(port: number, servername: string): Promise<number> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { servername, rejectUnauthorized: false });
  try {
    const statuses = ["/a", "/b", "/c"].map(async (path) => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      session.on("error", reject);
      const stream = session.request({ ":path": path, ":authority": servername });
      let status = 0;
      stream.on("response", (fields) => void (status = Number(fields[":status"])));
      stream.on("error", reject);
      stream.on("close", () => resolve(status)).resume();
      return promise;
    });
    return Math.max(...(await Promise.all(statuses)));
  } finally {
    session.close();
  }
}

/** It has the extension of RFC 8737. */
function isProof({ raw }: X509Certificate): boolean {
  return raw.includes(Buffer.from("2b0601050507011f", "hex"));
}

/** A serial number in hex as the content of a DER integer: whole bytes, the first of them below 128 (RFC 9773 §4.1). */
function signed(serialNumber: string): string {
  const whole = serialNumber.length % 2 === 0 ? serialNumber : `0${serialNumber}`;
  return /^[89A-F]/i.test(whole) ? `00${whole}` : whole;
}

function isPebbles({ issuer }: X509Certificate): boolean {
  return issuer.includes("Pebble");
}

async function reload(program: Program): Promise<void> {
  const from = program.output.length;
  program.kill("SIGHUP");
  await until("the reload", () => (/reloaded/.test(program.output.slice(from)) ? true : undefined));
}

describe.skipIf(!hasPebble)("with pebble", () => {
  let folder: Folder;
  let origin: RawOrigin;
  let directory: TestDirectory;
  let httpPort: number;
  let tlsPort: number;
  const programs: Program[] = [];

  beforeAll(async () => {
    [httpPort, tlsPort] = [await freePort(), await freePort()];
    origin = await RawOrigin.start();
    directory = await TestDirectory.start({ httpPort, tlsPort, nonceReject: 40, blocked: ["blocked.test"] });
  });
  afterAll(async () => {
    await directory.close();
    await origin.stop();
  });
  beforeEach(() => {
    folder = new Folder();
    directory.intercept = () => undefined;
    directory.renewal = undefined;
    directory.orders.length = 0;
  });
  afterEach(async () => {
    await Promise.all(programs.splice(0).map((program) => program.stop()));
    folder.remove();
  });

  function write(acme: object, server: object = {}): string {
    const listeners = [
      { address: "127.0.0.1", port: httpPort },
      { address: "127.0.0.1", port: tlsPort, use_tls: true },
    ];
    return folder.write("turnpike.json", {
      server: { workers: 1, listeners, ...server },
      tls: {
        acme: { directory_url: directory.url, ca_path: directory.caPath, terms_agreed: true, ...acme },
      },
      ...everythingTo(origin.port),
    });
  }

  function start(path: string): Program {
    const program = new Program(["--config", path]);
    programs.push(program);
    return program;
  }

  async function metric(name: string): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${httpPort}/metrics`)).text();
    const line = text.split("\n").find((one) => one.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1));
  }

  test("several workers have certificates before the program reports that it listens, and keep them in private files", async () => {
    const program = start(write({ domains: ["a.test", "b.test"] }, { workers: 2 }));
    await program.sees(/listening on https/);
    for (const name of ["a.test", "b.test", "a.test", "b.test", "a.test", "b.test"]) {
      const certificate = await shown(tlsPort, name);
      expect([isPebbles(certificate), certificate.checkHost(name)]).toEqual([true, name]);
    }
    const kept = folder.file("certificates");
    const files = readdirSync(kept);
    expect(files.filter((file) => !file.startsWith("account-")).toSorted()).toEqual([
      "certificate-a.test.json",
      "certificate-b.test.json",
    ]);
    for (const file of files) expect(statSync(`${kept}/${file}`).mode & 0o777).toBe(0o600);
    const account: { value: string } = JSON.parse(
      readFileSync(`${kept}/${files.find((file) => file.startsWith("account-"))}`, "utf8"),
    );
    const secret = /-----\s*(\w{20})/.exec(JSON.parse(account.value).key)?.[1] ?? "";
    expect(secret).not.toBe("");
    expect(program.output).toContain("got a certificate for a.test");
    expect(program.output).not.toContain(secret);
    expect(program.output).not.toContain("PRIVATE KEY");
    expect(await metric('turnpike_acme_orders_total{result="issued"}')).toBe(2);
    expect(await metric('turnpike_acme_certificates{state="valid"}')).toBe(2);
    expect(await metric('turnpike_certificate_expiry_timestamp_seconds{use="acme"}')).toBeGreaterThan(
      Date.now() / 1000,
    );
    // Requests for unknown challenges go to the upstream.
    expect((await fetch(`http://127.0.0.1:${httpPort}/.well-known/acme-challenge/x`)).status).toBe(200);
  });

  test("a restarted gateway serves its stored certificates while the directory is down", async () => {
    const path = write({ domains: ["a.test"] });
    const first = start(path);
    await first.sees(/listening on https/);
    const { serialNumber } = await shown(tlsPort, "a.test");
    await first.stop();
    directory.intercept = () => new Response("down", { status: 503 });
    write({ domains: ["a.test", "new.test"] });
    const second = start(path);
    await second.sees(
      /Cannot get a certificate for new\.test from localhost:\d+: the directory responded with status 503/,
    );
    await second.sees(/listening on https/);
    expect((await shown(tlsPort, "a.test")).serialNumber).toBe(serialNumber);
    expect((await fetch(`http://127.0.0.1:${httpPort}/x`)).status).toBe(200);
    expect(await metric('turnpike_acme_certificates{state="missing"}')).toBe(1);
    // The pause is stored, so that frequent restarts do not cause frequent orders.
    const { length } = directory.asked;
    await second.stop();
    await start(path).sees(/listening on https/);
    expect(directory.asked.slice(length).filter((one) => one !== "/dir")).toEqual([]);
    expect(directory.orders.map(({ identifiers }) => identifiers)).toEqual([[{ type: "dns", value: "a.test" }]]);
  });

  test("a refused domain has a self-signed certificate meanwhile, and the other domains have theirs", async () => {
    const program = start(write({ domains: ["blocked.test", "ok.test"] }));
    await program.sees(/listening on https/);
    expect(program.output).toMatch(
      /Cannot get a certificate for blocked\.test .*rejectedIdentifier.*the next attempt is in \d+ s/,
    );
    expect(isPebbles(await shown(tlsPort, "ok.test"))).toBe(true);
    expect(await metric('turnpike_acme_orders_total{result="failed"}')).toBe(1);
  });

  test("a directory that is down from the start stops nothing, and a reload with other settings queries it at once", async () => {
    write({ domains: ["late.test"] });
    directory.intercept = () => new Response("", { status: 500 });
    const program = start(folder.file("turnpike.json"));
    await program.sees(/listening on https/);
    const own = await shown(tlsPort, "late.test");
    expect([isPebbles(own), own.checkHost("late.test")]).toEqual([false, "late.test"]);
    expect((await fetch(`http://127.0.0.1:${httpPort}/x`)).status).toBe(200);
    directory.intercept = () => undefined;
    write({ domains: ["late.test"], contact: ["ops@late.test"] });
    await reload(program);
    await program.sees(/got a certificate for late\.test/);
    expect(isPebbles(await shown(tlsPort, "late.test"))).toBe(true);
    write({ domains: ["late.test", "more.test"], contact: ["ops@late.test"], key_type: "rsa-2048" });
    await reload(program);
    await program.sees(/got a certificate for more\.test/);
    expect((await shown(tlsPort, "more.test")).publicKey.asymmetricKeyType).toBe("rsa");
    expect((await shown(tlsPort, "late.test")).publicKey.asymmetricKeyType).toBe("rsa");
  });

  test("only the directory gets the TLS-ALPN-01 proof, and HTTP/3 serves the certificate too", async () => {
    const listeners = [{ address: "127.0.0.1", port: tlsPort, use_tls: true, quic_enabled: true }];
    const release = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    directory.intercept = async (path) => {
      if (!path.startsWith("/chalZ/")) return undefined;
      asked.resolve();
      await release.promise;
      return undefined;
    };
    const program = start(write({ domains: ["alpn.test"], challenges: ["tls-alpn-01"] }, { workers: 2, listeners }));
    await asked.promise;
    for (let i = 0; i < 4; i++) {
      // The directory gets the proof; other clients get the same certificate as without it.
      const proof = await handshake(tlsPort, { servername: "alpn.test", ALPNProtocols: ["acme-tls/1"] });
      expect([proof.protocol, isProof(proof.certificate)]).toEqual(["acme-tls/1", true]);
      const browser = await handshake(tlsPort, { servername: "alpn.test", ALPNProtocols: ["h2", "http/1.1"] });
      expect([browser.protocol, isProof(browser.certificate)]).toEqual(["h2", false]);
      const other = handshake(tlsPort, { servername: "else.test", ALPNProtocols: ["acme-tls/1"] });
      expect(
        await other.then(
          () => "shown",
          () => "refused",
        ),
      ).toBe("refused");
    }
    release.resolve();
    await program.sees(/listening on https/);
    expect(isPebbles(await shown(tlsPort, "alpn.test"))).toBe(true);
    const ca = await directory.root();
    const client = await Http3Client.connect(tlsPort, {}, { ca, servername: "alpn.test" });
    expect((await client.request("GET", "/.healthz")).headers[":status"]).toBe("200");
    client.close();
  });

  test("after a rate limit, the gateway waits as long as the directory requests", async () => {
    directory.intercept = (path) =>
      path === "/order-plz" ? refusal("rateLimited", 429, { "retry-after": "7200" }) : undefined;
    const program = start(write({ domains: ["many.test"] }));
    await program.sees(/Cannot get a certificate for many\.test .*rateLimited.*the next attempt is in 7200 s/);
  });

  test("a domain that leads to another server fails its check, and the log has the directory's reason", async () => {
    await directory.resolve("away.test", "127.0.0.9");
    const program = start(write({ domains: ["away.test"] }));
    await program.sees(/Cannot get a certificate for away\.test .*connection/);
  });

  test("a gateway that is killed in the middle of an order gets its certificate when it starts again", async () => {
    const path = write({ domains: ["killed.test"] });
    const reached = Promise.withResolvers<void>();
    directory.intercept = (one) => {
      if (!one.startsWith("/finalize-order/")) return undefined;
      reached.resolve();
      return new Promise(() => {});
    };
    const first = start(path);
    await reached.promise;
    first.kill("SIGKILL");
    await first.exit();
    directory.intercept = () => undefined;
    await start(path).sees(/listening on https/);
    expect(isPebbles(await shown(tlsPort, "killed.test"))).toBe(true);
  });

  test("a certificate is renewed when the directory says so, under load without a lost request", async () => {
    const ids: string[] = [];
    directory.renewal = (id) => {
      if (!ids.includes(id)) ids.push(id);
      const from = Date.now() + (ids[0] === id ? -7_200_000 : 86_400_000);
      return { start: new Date(from).toISOString(), end: new Date(from + 3_600_000).toISOString() };
    };
    const release = Promise.withResolvers<void>();
    // The load starts before the second order.
    directory.intercept = async (path) => {
      if (path === "/order-plz" && directory.orders.length > 0) await release.promise;
      return undefined;
    };
    const listeners = [
      { address: "127.0.0.1", port: httpPort },
      { address: "127.0.0.1", port: tlsPort, use_tls: true, quic_enabled: true },
    ];
    const program = start(write({ domains: ["renew.test"] }, { workers: 2, listeners }));
    await program.sees(/listening on https/);
    const { serialNumber } = await shown(tlsPort, "renew.test");
    const done = { http1: 0, http2: 0, http3: 0 };
    const over = new AbortController();
    const failures: unknown[] = [];
    const keepOn = async (protocol: keyof typeof done, send: () => Promise<number>): Promise<void> => {
      while (!over.signal.aborted) {
        try {
          const status = await send();
          if (status !== 200) failures.push([protocol, status]);
          done[protocol]++;
        } catch (error) {
          failures.push([protocol, error]);
        }
      }
    };
    const ca = await directory.root();
    const load = [
      ...Array.from({ length: 4 }, (_, client) =>
        keepOn("http1", async () => {
          const response = await fetch(`https://127.0.0.1:${tlsPort}/x`, {
            headers: { host: "renew.test", ...(client % 2 === 0 ? { connection: "close" } : {}) },
            tls: { rejectUnauthorized: false, serverName: "renew.test" },
          });
          await response.arrayBuffer();
          return response.status;
        }),
      ),
      keepOn("http2", () => requestOverHttp2(tlsPort, "renew.test")),
      keepOn("http3", async () => {
        const client = await Http3Client.connect(tlsPort, {}, { ca, servername: "renew.test" });
        const responses = await Promise.all(["/a", "/b", "/c"].map((path) => client.request("GET", path)));
        client.close();
        return Math.max(...responses.map(({ headers }) => Number(headers[":status"])));
      }),
    ];
    const enough = (before: typeof done): true | undefined =>
      done.http1 > before.http1 + 50 && done.http2 > before.http2 + 10 && done.http3 > before.http3 + 5
        ? true
        : undefined;
    await until("the load", () => enough({ http1: 0, http2: 0, http3: 0 }));
    release.resolve();
    await until("the renewal", () =>
      program.output.split("got a certificate for renew.test").length > 2 ? true : undefined,
    );
    const before = { ...done };
    await until("more load", () => enough(before));
    over.abort();
    await Promise.all(load);
    expect(failures).toEqual([]);
    for (let i = 0; i < 4; i++) expect((await shown(tlsPort, "renew.test")).serialNumber).not.toBe(serialNumber);
    expect(directory.orders[1]?.["replaces"]).toBe(ids[0]);
    expect(ids[0]).toEndWith(`.${Buffer.from(signed(serialNumber), "hex").toString("base64url")}`);
  });
});
