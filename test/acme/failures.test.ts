/** Failures of an ACME directory, and of the store of certificates. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { smallDisk } from "../../src/lib/testing/small-disk.ts";
import { makeCertificate } from "../support/certificates.ts";
import { until } from "../support/program.ts";
import { Keeping } from "./testing/keeping.ts";
import { hasPebble, refusal, TestDirectory } from "./testing/test-directory.ts";

setDefaultTimeout(patient(20_000));

const DAY_MS = 86_400_000;
/** The public key of a P-256 request, which follows these bytes. */
const P256 = Buffer.from("3059301306072a8648ce3d020106082a8648ce3d030107034200", "hex");

function publicKeyOf(body: string): Buffer {
  const payload: { csr: string } = JSON.parse(Buffer.from(JSON.parse(body).payload, "base64url").toString());
  const csr = Buffer.from(payload.csr, "base64url");
  const at = csr.indexOf(P256);
  return csr.subarray(at, at + P256.length + 65);
}

function serialOf({ issued }: Keeping): string {
  return new X509Certificate(issued.pairs[0]?.pair.cert ?? "").serialNumber;
}

describe.skipIf(!hasPebble)("with pebble", () => {
  let httpPort: number;
  let directory: TestDirectory;

  beforeAll(async () => {
    httpPort = await freePort();
    directory = await TestDirectory.start({
      httpPort,
      tlsPort: await freePort(),
      nonceReject: 20,
      blocked: ["no.test"],
    });
  });
  afterAll(() => directory.close());
  beforeEach(() => {
    directory.intercept = () => undefined;
    directory.renewal = undefined;
    directory.orders.length = 0;
  });

  function keeping(options: { domains: string[]; folder?: string; deps?: object; acme?: object }): Promise<Keeping> {
    const { domains, acme, ...rest } = options;
    return Keeping.start({ directory, httpPort, acme: { domains, ...acme }, ...rest });
  }

  const names = { hostnames: ["a.test"] };
  const BAD: readonly [what: string, chain: (publicKey: Buffer) => string | Response, says: RegExp][] = [
    ["a certificate for another key", () => makeCertificate(names).cert, /the certificate is for another key/],
    [
      "a certificate for another name",
      (publicKey) => makeCertificate({ hostnames: ["b.test"], publicKey }).cert,
      /the certificate is not for a\.test/,
    ],
    [
      "an expired certificate",
      (publicKey) => makeCertificate({ ...names, publicKey, from: -90, to: -1 }).cert,
      /the certificate was valid until /,
    ],
    [
      "a chain whose second certificate is damaged",
      (publicKey) =>
        `${makeCertificate({ ...names, publicKey }).cert}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
      /certificate 2 of the chain cannot be decoded/,
    ],
    [
      "a chain without end",
      (publicKey) => makeCertificate({ ...names, publicKey }).cert.repeat(17),
      /the chain has more than 16 certificates/,
    ],
    [
      "a page in HTML",
      () => new Response("<html>", { headers: { "content-type": "text/html" } }),
      /sent no certificate/,
    ],
    [
      "a certificate in DER",
      (publicKey) =>
        new Response(new X509Certificate(makeCertificate({ ...names, publicKey }).cert).raw, {
          headers: { "content-type": "application/pkix-cert" },
        }),
      /sent no certificate/,
    ],
  ];
  for (const [what, chain, says] of BAD) {
    test(`${what} is refused, and the gateway keeps its certificate`, async () => {
      await using one = await keeping({ domains: ["a.test"], acme: { key_type: "ecdsa-p384" } });
      await one.says(/got a certificate for a\.test/);
      const serial = serialOf(one);
      let publicKey: Buffer = Buffer.alloc(0);
      directory.intercept = (path, body) => {
        if (path.startsWith("/finalize-order/")) publicKey = publicKeyOf(body);
        if (!path.startsWith("/certZ/")) return undefined;
        const sent = chain(publicKey);
        return typeof sent === "string" ? new Response(sent) : sent;
      };
      await one.change({ key_type: "ecdsa-p256" });
      expect(await one.says(/Cannot get a certificate for a\.test/)).toMatch(says);
      expect([serialOf(one), one.orders]).toEqual([serial, ["issued", "failed"]]);
    });
  }

  const REFUSING: readonly [what: string, path: RegExp, response: () => Response, says: RegExp][] = [
    [
      "an order that is processed without end",
      /^\/my-order\//,
      () => Response.json({ status: "processing" }, { headers: { "retry-after": "0" } }),
      /did not finish the order within/,
    ],
    [
      "an order that becomes invalid",
      /^\/my-order\//,
      () => Response.json({ status: "invalid" }),
      /the directory says no/,
    ],
    [
      "a response that is cut in the middle",
      /^\/my-order\//,
      () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              controller.enqueue(new TextEncoder().encode('{"status":'));
              controller.error(new Error("cut"));
            },
          }),
        ),
      /no response from localhost:\d+: [^()]*$|is not JSON object/,
    ],
    ["JSON with another content", /^\/my-order\//, () => Response.json([1]), /is not JSON object/],
    [
      "an authorization without challenges",
      /^\/authZ\//,
      () => Response.json({ status: "pending" }),
      /does not offer http-01/,
    ],
    [
      "a response over the limit",
      /^\/authZ\//,
      () => new Response("x".repeat(1024 * 1024 + 1)),
      /more than 1048576 bytes/,
    ],
    [
      "a rate limit with a date",
      /^\/order-plz$/,
      () => refusal("rateLimited", 429, { "retry-after": new Date(Date.now() + 7_200_000).toUTCString() }),
      /rateLimited.*the next attempt is in 7(?:19\d|200) s/,
    ],
  ];
  for (const [what, path, response, says] of REFUSING) {
    test(`after ${what}, the other domains get their certificates`, async () => {
      let isFirst = true;
      directory.intercept = (one) => {
        if (!isFirst || !path.test(one)) return undefined;
        // Only the first order: the second domain's goes well.
        if (what !== "an order that is processed without end") isFirst = false;
        return response();
      };
      await using one = await keeping({ domains: ["a.test", "b.test"], deps: { settleMs: 300 } });
      const line = await one.says(/Cannot get a certificate for a\.test/);
      expect(line).toMatch(says);
      isFirst = false;
      await one.says(/(?:got|Cannot get) a certificate for b\.test/);
    });
  }

  test("a directory whose renewal information is always in the past gets one more order, and no third", async () => {
    directory.renewal = () => ({ start: "2020-01-01T00:00:00Z", end: "2020-01-02T00:00:00Z" });
    await using one = await keeping({ domains: ["a.test"] });
    await until("the second order", () => (one.orders.length === 2 ? true : undefined));
    // A round later: the other domain's order ends after the decision about the first.
    await one.change({ domains: ["a.test", "b.test"] });
    await one.says(/got a certificate for b\.test/);
    await one.change({ domains: ["a.test", "b.test", "c.test"] });
    await one.says(/got a certificate for c\.test/);
    const a = directory.orders.filter(({ identifiers }) => JSON.stringify(identifiers).includes('"a.test"'));
    expect(a).toHaveLength(2);
  });

  test("a failure with a time far in the future, caused by a wrong clock, delays nothing when the clock is right again", async () => {
    const folder = mkdtempSync(join(tmpdir(), "turnpike-keeping-"));
    try {
      directory.intercept = () => new Response("", { status: 503 });
      {
        await using early = await keeping({
          domains: ["a.test"],
          folder,
          deps: { clock: () => Date.now() + 900 * DAY_MS },
        });
        await early.says(/Cannot get/);
      }
      directory.intercept = () => undefined;
      await using later = await keeping({ domains: ["a.test"], folder });
      await later.says(/got a certificate for a\.test/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("names that the directory does not validate, or not again, need no challenge", async () => {
    const ports = { httpPort: await freePort(), tlsPort: await freePort() };
    const [reusing, trusting] = await Promise.all([
      TestDirectory.start({ httpPort, tlsPort: ports.tlsPort, authzReuse: 100 }),
      TestDirectory.start({ ...ports, alwaysValid: true }),
    ]);
    try {
      await using one = await Keeping.start({ directory: reusing, httpPort, acme: { domains: ["a.test"] } });
      await one.says(/got a certificate for a\.test/);
      reusing.asked.length = 0;
      await one.change({ key_type: "ecdsa-p384" });
      await until("the second certificate", () => (one.orders.length === 2 ? true : undefined));
      expect(reusing.asked.some((path) => path.startsWith("/chalZ/"))).toBe(false);
      await using other = await Keeping.start({
        directory: trusting,
        httpPort: await freePort(),
        acme: { domains: ["b.test"] },
      });
      await other.says(/got a certificate for b\.test/);
    } finally {
      await Promise.all([reusing.close(), trusting.close()]);
    }
  });

  test("on a full disk, no certificate is lost and no order is repeated", async () => {
    using disk = smallDisk("256k");
    if (!disk.isMounted) return;
    const { path: folder } = disk;
    let isFull = true;
    const fill = (): void => {
      if (isFull) disk.fill();
    };
    const onEvent = ({ outcome }: { outcome: string }): void => (outcome === "failed" ? fill() : undefined);
    await using one = await keeping({ domains: ["a.test"], folder, deps: { onEvent } });
    await one.says(/got a certificate for a\.test/);
    const serial = serialOf(one);
    directory.intercept = (path) => {
      if (path.startsWith("/certZ/")) fill();
      return undefined;
    };
    // Longer than the blocks that temporary files give back.
    await one.change({ key_type: "rsa-2048" });
    await one.says(/Cannot store the certificate for a\.test: .*ENOSPC.*; the gateway keeps it in memory/);
    fill();
    expect([serialOf(one), one.orders]).toEqual([serial, ["issued", "failed"]]);
    directory.intercept = () => undefined;
    // Without space, nothing is ordered.
    await one.change({ domains: ["a.test", "b.test"] });
    await one.says(/Cannot check the certificates: .*ENOSPC/);
    expect(directory.orders).toHaveLength(2);
    isFull = false;
    rmSync(join(folder, "filler"));
    await one.says(/got a certificate for b\.test/);
    await until("the kept certificate", () => (serialOf(one) === serial ? undefined : true));
    expect(directory.orders).toHaveLength(3);
    const stored: { value: string } = JSON.parse(
      readFileSync(join(folder, "certificates/certificate-a.test.json"), "utf8"),
    );
    expect(JSON.parse(stored.value).cert).toBe(one.issued.pairs[0]?.pair.cert);
  });
});
