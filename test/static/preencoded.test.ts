/** `server.preencoded`: the same responses as without it, for every request. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Gateway } from "../support/gateway.ts";
import { type Message, statusOf, valuesOf } from "../support/message.ts";
import { once } from "../support/raw-client.ts";
import { Site } from "./site.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(20_000));

const sites = [new Site(), new Site()] as const;
let gateways: readonly Gateway[];

beforeAll(async () => {
  // Port 1 has no listener.
  const config = {
    upstreams: [{ name: "down", servers: [{ address: "127.0.0.1", port: 1, max_fails: 1_000_000 }] }],
    routes: [{ path_prefix: "/down", upstream: "down" }],
  };
  await Promise.all(
    sites.map(async (site, n) => {
      site.write("file.txt", "0123456789");
      await site.start({ preencoded: n === 1, allowed_hosts: ["a.test"] }, config);
    }),
  );
  gateways = sites.map(({ gateway }) => gateway);
});
afterAll(async () => {
  for (const site of sites) await site.stop();
});

/**
 * Everything except the parts that differ between two responses: the date, and validators of a file with another time.
 */
function comparable({ startLine, fields, body }: Message): unknown {
  const own = new Set(["Date", "ETag", "Last-Modified"]);
  return { startLine, body, fields: fields.filter(([name]) => !own.has(name)) };
}

const CASES: readonly (readonly [line: string, host: string, fields: string, status: number])[] = [
  ["GET /absent", "a.test", "", 404],
  ["HEAD /absent", "a.test", "", 404],
  ["GET /file.txt", "b.test", "", 400],
  ["POST /file.txt", "a.test", "", 405],
  ["POST /.healthz", "a.test", "", 405],
  ["GET /file.txt", "a.test", 'If-Match: "x"\r\n', 412],
  ["GET /file.txt", "a.test", "Range: bytes=99-\r\n", 416],
  ["GET /down", "a.test", "", 502],
];

// Ids with characters that JSON must escape, and an id in the gateway's own format.
const IDS = ["plain", 'a"b', "a\\b", '\\"', "{}", "x".repeat(128)];

test("the responses are the same, for any request id", async () => {
  for (const [line, host, fields, status] of CASES) {
    for (const id of IDS) {
      const request = `${line} HTTP/1.1\r\nHost: ${host}\r\nX-Request-Id: ${id}\r\n${fields}\r\n`;
      const method = line.slice(0, line.indexOf(" "));
      const [plain, encoded] = await Promise.all(gateways.map(({ port }) => once(port, request, method)));
      if (plain === undefined || encoded === undefined) throw new Error("Cannot compare: a response is missing");
      expect(statusOf(plain)).toBe(status);
      expect(comparable(encoded)).toEqual(comparable(plain));
      expect(valuesOf(encoded, "date")).toHaveLength(1);
      if (method === "HEAD") continue;
      const problem: unknown = JSON.parse(encoded.body);
      expect(problem).toMatchObject({ status, instance: id });
    }
  }
});
