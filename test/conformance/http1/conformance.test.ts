/**
 * RFC 9110 and 9112 as a table, section by section, against the real gateway over real sockets. Ambiguous messages are
 * in `test/http1/rows`, with more cases, and also byte by byte.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { everythingTo, type Gateway, startGateway } from "../../support/gateway.ts";
import { type Message, statusOf, valuesOf } from "../../support/message.ts";
import { RawClient } from "../../support/raw-client.ts";
import { RawOrigin } from "../../support/raw-origin.ts";
import { FIELD_RULES } from "./fields.ts";
import { FRAMING_RULES } from "./framing.ts";
import { MESSAGE_FORMAT } from "./message-format.ts";
import { type Rule } from "./rule.ts";
import { CONNECTION_RULES, SEMANTIC_RULES } from "./semantics.ts";
import { patient } from "../../../src/lib/testing/patience.ts";

/** Longer than the timeouts of client and origin: a test that exceeds its time ends the gateway's process too. */
setDefaultTimeout(patient(20_000));

const RULES = [...MESSAGE_FORMAT, ...FIELD_RULES, ...FRAMING_RULES, ...CONNECTION_RULES, ...SEMANTIC_RULES];
const AFTER = "GET /after HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n";

let origin: RawOrigin;
let gateway: Gateway;

beforeAll(async () => {
  origin = await RawOrigin.start();
  const { upstreams, routes } = everythingTo(origin.port);
  const streamed = { path_prefix: "/streamed", upstream: "origin", request_buffering: false };
  gateway = await startGateway({ access_log: { enabled: false }, upstreams, routes: [streamed, ...routes] });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

/** A complete exchange on its own connection. After it, all earlier effects of the gateway have reached the origin. */
async function fence(): Promise<void> {
  const client = await RawClient.open(gateway.port);
  client.send(AFTER);
  expect((await client.response()).body).toBe("GET /after");
  client.destroy();
}

async function checkRefused(client: RawClient, rule: Rule & { readonly kind: "refused" }): Promise<void> {
  client.send(rule.bytes);
  const response = await client.response();
  expect(rule.statuses).toContain(statusOf(response));
  expect(valuesOf(response, "connection")).toEqual(["close"]);
  expect(valuesOf(response, "date")).toHaveLength(1);
  expect(valuesOf(response, "content-type")).toEqual(["application/problem+json"]);
  await client.closed();
  expect(client.rest()).toBe("");
  await fence();
  expect(origin.summaries).toEqual(["GET /after"]);
  if (!rule.begun) expect(origin.bytes).toBe(origin.requests.map(({ raw }) => raw).join(""));
}

async function checkServed(client: RawClient, rule: Rule & { readonly kind: "served" }): Promise<void> {
  const { method, reply, stays, upstream, response: check } = rule.checks;
  if (reply !== undefined) origin.response = reply;
  client.send(rule.bytes);
  const response = await client.finalResponse(method);
  expect(statusOf(response)).toBe(rule.status);
  const [request, ...others]: readonly Message[] = origin.requests;
  // After an invalid response to a GET, the gateway may retry.
  if (rule.status !== 502) expect(others).toEqual([]);
  upstream?.(request);
  check?.(response);
  if (stays === false) {
    await client.closed();
    expect(client.rest()).toBe("");
    return;
  }
  origin.reset();
  client.send(AFTER);
  expect((await client.response()).body).toBe("GET /after");
}

async function run(rule: Rule): Promise<void> {
  origin.reset();
  if (rule.kind === "script") {
    await rule.run({ port: gateway.port, origin });
    return;
  }
  const client = await RawClient.open(gateway.port);
  try {
    await (rule.kind === "refused" ? checkRefused(client, rule) : checkServed(client, rule));
    expect(origin.errors).toEqual([]);
  } finally {
    client.destroy();
  }
}

for (const section of [...new Set(RULES.map((rule) => rule.section))].toSorted()) {
  describe(`RFC ${section}`, () => {
    test.each(RULES.filter((rule) => rule.section === section).map((rule) => [rule.rule, rule] as const))(
      "%s",
      async (_, rule) => {
        await run(rule);
      },
    );
  });
}
