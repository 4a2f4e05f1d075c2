import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { respond } from "../../../src/gateway/exchange/local-response.ts";
import { startEndpoint, type TestEndpoint } from "../../../src/gateway/http3/testing/endpoint.ts";
import { headers, hex, statusOf } from "../../support/http3-frames.ts";
import { LOCALHOST } from "../../support/certificates.ts";
import { hasDeno, playRaw, type RawResult } from "../../support/raw-quic.ts";
import { GET, type Outcome, RULES } from "./rules.ts";
import { patient } from "../../../src/lib/testing/patience.ts";

const material = {
  fallback: LOCALHOST,
  named: [],
  clientCa: "",
  clientCertRequired: true,
};

/** One process runs all connections, before the first rule is checked. */
const PLAY_MS = patient(120_000);

describe.skipIf(!hasDeno)("RFC 9114 and RFC 9204, rule by rule (needs the npm package deno)", () => {
  let server: TestEndpoint | undefined;
  let results: readonly RawResult[] = [];

  beforeAll(async () => {
    server = await startEndpoint(
      (exchange) =>
        exchange.body.readTo({
          data: () => true,
          end: () => respond(exchange, 200, "text/plain", Buffer.from("ok")),
          abort: (error) => exchange.response.abort(error),
        }),
      { material },
    );
    const probe = hex(headers(GET));
    results = await playRaw(
      server.port,
      RULES.map(({ steps, outcome }) => ({ steps, probe, waitForClose: "close" in outcome })),
    );
  }, PLAY_MS);

  afterAll(() => server?.close());

  for (const [i, { section, title, outcome }] of RULES.entries()) {
    test(`${section}: ${title}`, () => {
      const result = results[i];
      if (result === undefined) throw new Error("Cannot judge the rule: it was not played");
      expect(result.failed).toBeUndefined();
      expect(seen(result, outcome)).toEqual(outcome);
    });
  }

  test("no rule leaves an error, a request or a buffer behind", () => {
    expect(server?.errors).toEqual([]);
    expect(server?.endpoint.figures.streamsOpen).toBe(0);
    expect(server?.buffers.used).toBe(0);
  });
});

/** The actual result, in the terms of the expected one. */
function seen({ close, probed, streams }: RawResult, outcome: Outcome): object {
  if ("close" in outcome) return { close };
  const served = probed !== undefined && statusOf(probed.hex) === 200 && probed.end === "fin";
  if (!served) return { close, probed };
  const [stream] = streams;
  if ("reset" in outcome) return { reset: Number(stream?.end.replace("reset ", "")) };
  return stream === undefined ? { alive: true } : { status: statusOf(stream.hex) };
}
