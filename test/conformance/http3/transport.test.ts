import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { respond } from "../../../src/gateway/exchange/local-response.ts";
import { startEndpoint, type TestEndpoint } from "../../../src/gateway/http3/testing/endpoint.ts";
import { LOCALHOST } from "../../support/certificates.ts";
import { playQuic, type QuicOutcome } from "../../support/quic-client.ts";
import { emptyStream, isAllowed, STREAM_LIMIT_ERROR, TRANSPORT_RULES } from "./transport.ts";
import { patient } from "../../../src/lib/testing/patience.ts";

const material = { fallback: LOCALHOST, named: [], clientCa: "", clientCertRequired: true };
const PING = 0x01;
const PLAY_MS = patient(30_000);

describe.each([
  ["version 1", 1],
  ["version 2 (RFC 9369)", 2],
] as const)("RFC 9000 and RFC 9001, rule by rule, in %s", (_, version) => {
  const offersV2 = version === 2;
  let server: TestEndpoint;
  let outcomes: readonly QuicOutcome[];

  beforeAll(async () => {
    server = await startEndpoint((exchange) => respond(exchange, 200, "text/plain", Buffer.from("ok")), { material });
    outcomes = await Promise.all(TRANSPORT_RULES.map(({ faults }) => playQuic(server.port, { ...faults, offersV2 })));
  }, PLAY_MS);

  afterAll(() => server.close());

  for (const [i, { section, title, code }] of TRANSPORT_RULES.entries()) {
    test(`${section}: ${title}`, () => {
      const close = outcomes[i]?.close;
      if (code === undefined) {
        expect(outcomes[i]).toEqual({ confirmed: true, version });
        return;
      }
      expect(close?.by).toBe("transport");
      expect([close?.code, isAllowed(close?.code ?? -1, code)]).toEqual([close?.code, true]);
    });
  }

  test("a client that obeys the rules is still served", async () => {
    expect(await playQuic(server.port, { frames: [PING], untilTaken: true, offersV2 })).toEqual({
      confirmed: true,
      version,
    });
  });

  test("no rule leaves an error behind", () => {
    expect(server.errors).toEqual([]);
  });
});

test("quic.max_streams_bidi and max_streams_uni are the exact limits of the streams that a client may open", async () => {
  const quic = { maxIdleTimeoutMs: 30_000, maxStreamsBidi: 5, maxStreamsUni: 4 };
  const server = await startEndpoint(() => {}, { material, quic });
  const opened = async (id: number): Promise<QuicOutcome["close"]> =>
    (await playQuic(server.port, { frames: emptyStream(id), untilTaken: true })).close;
  try {
    // Ids go up by four; unidirectional ones of clients begin with two.
    expect(await Promise.all([4 * 4, 2 + 4 * 3].map(opened))).toEqual([undefined, undefined]);
    const beyond = { by: "transport" as const, code: STREAM_LIMIT_ERROR };
    expect(await Promise.all([4 * 5, 2 + 4 * 4].map(opened))).toEqual([beyond, beyond]);
  } finally {
    await server.close();
  }
});
