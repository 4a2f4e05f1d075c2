/**
 * Requests that another program could read differently. Each row runs twice, as one write and byte by byte, against the
 * real gateway and an origin that records every byte.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { everythingTo, type Gateway, startGateway } from "../support/gateway.ts";
import { type Message, statusOf, valuesOf } from "../support/message.ts";
import { RawClient } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { CHUNKS } from "./rows/chunks.ts";
import { FIELDS } from "./rows/fields.ts";
import { FRAMING } from "./rows/framing.ts";
import { LIMIT_ROWS } from "./rows/limits.ts";
import { LINE_ENDS } from "./rows/line-ends.ts";
import { LIMITS, type Row } from "./rows/row.ts";
import { START_LINE } from "./rows/start-line.ts";
import { patient } from "../../src/lib/testing/patience.ts";

const TABLES: readonly (readonly [name: string, rows: readonly Row[]])[] = [
  ["framing", FRAMING],
  ["line ends", LINE_ENDS],
  ["chunks", CHUNKS],
  ["fields", FIELDS],
  ["request line", START_LINE],
  ["limits", LIMIT_ROWS],
];

const AFTER = "GET /after HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n";
const FENCE = "GET /fence HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n";

/** Longer than the timeouts of client and origin: a test that exceeds its time ends the gateway's process too. */
setDefaultTimeout(patient(20_000));

let origin: RawOrigin;
let gateway: Gateway;

beforeAll(async () => {
  origin = await RawOrigin.start();
  gateway = await startGateway({ limits: LIMITS, access_log: { enabled: false }, ...everythingTo(origin.port) });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

function checkProblem(response: Message, status: number): void {
  expect(valuesOf(response, "content-type")).toEqual(["application/problem+json"]);
  const problem: unknown = JSON.parse(response.body);
  expect(problem).toMatchObject({ status, type: expect.any(String), title: expect.any(String) });
}

/** After a response, the connection must be closed, or serve exactly one more request. */
async function checkConnection(client: RawClient, row: Row, first: Message): Promise<boolean> {
  const saysClose = valuesOf(first, "connection").join().toLowerCase().includes("close");
  if (row.closed === true || (row.closed === "either" && saysClose)) {
    expect({ saysClose }).toEqual({ saysClose: true });
    await client.closed();
    expect(client.rest()).toBe("");
    return true;
  }
  expect({ saysClose }).toEqual({ saysClose: false });
  client.send(AFTER);
  const second = await client.response();
  expect([statusOf(second), second.body]).toEqual([200, "GET /after"]);
  await client.closed();
  expect(client.rest()).toBe("");
  return false;
}

/** A complete exchange on its own connection. After it, all earlier effects of the gateway have reached the origin. */
async function fence(): Promise<void> {
  const client = await RawClient.open(gateway.port);
  client.send(FENCE);
  expect((await client.response()).body).toBe("GET /fence");
  client.destroy();
}

async function run(row: Row, send: (client: RawClient) => unknown): Promise<void> {
  await fence();
  origin.reset();
  const client = await RawClient.open(gateway.port);
  try {
    await send(client);
    const response = await client.response();
    const status = statusOf(response);
    expect(typeof row.status === "number" ? [row.status] : row.status).toContain(status);
    if (status >= 400) checkProblem(response, status);
    else if (Array.isArray(row.reached)) expect(response.body).toBe(row.reached[0] ?? "");
    await checkConnection(client, row, response);
    await fence();
    const complete = origin.summaries.filter((text) => text !== "GET /fence" && text !== "GET /after");
    expect(complete).toEqual(typeof row.reached === "string" ? [] : [...row.reached]);
    if (row.reached === "nothing") expect(strayBytes()).toBe("");
    if (row.never !== undefined) expect(origin.bytes).not.toContain(row.never);
    expect(origin.errors).toEqual([]);
  } finally {
    client.destroy();
  }
}

/** The bytes at the origin other than the requests that the test itself added. */
function strayBytes(): string {
  return origin.requests.reduce((bytes, request) => bytes.replace(request.raw, ""), origin.bytes);
}

for (const [name, rows] of TABLES) {
  describe(`${name}, in one write`, () => {
    test.each(rows.map((row) => [row.name, row] as const))("%s", async (_, row) => {
      await run(row, (client) => client.send(row.bytes));
    });
  });
  describe(`${name}, byte by byte`, () => {
    test.each(rows.map((row) => [row.name, row] as const))("%s", async (_, row) => {
      await run(row, (client) => client.sendByteByByte(row.bytes));
    });
  });
}
