import { expect, test } from "bun:test";
import { watchTimers } from "../../lib/testing/timers.ts";
import { until } from "../../lib/testing/until.ts";
import { EmbeddedHost } from "./embedded-host.ts";
import { type Facilitator, type Settlement } from "../x402/facilitator.ts";
import { channelConfig, channelRequirements } from "../testing/channels.ts";
import { PAYEE, PAYER, REQUIREMENTS, signedPayment, USDC } from "../testing/payment.ts";

const SETTLED: Settlement = { kind: "settled", transaction: `0x${"ab".repeat(32)}`, payer: PAYER };
const payment = signedPayment(1_800_000_000);
const accepted = channelRequirements({ address: USDC, name: "USDC", version: "2" }, "eip155:84532", {
  payTo: PAYEE,
  authorizer: PAYEE,
});

/** Facilitators that record their calls in `events`, and settle when the test lets them. */
function setUp() {
  const events: string[] = [];
  const ends: (() => void)[] = [];
  function create(name: string): Facilitator {
    if (name === "broken") throw new Error("Cannot make it");
    events.push(`${name} made`);
    return {
      supported: async () => [{ scheme: name, network: "eip155:1" }],
      verify: async () => ({ kind: "valid", payer: PAYER }),
      find: async () => ({ kind: "unspent" }),
      settle: async () => {
        events.push(`${name} settles`);
        await new Promise<void>((resolve) => ends.push(resolve));
        return SETTLED;
      },
      close: async () => void events.push(`${name} closed`),
    };
  }
  return { events, end: () => ends.shift()?.(), host: new EmbeddedHost<string>(create) };
}

test("equal settings keep the facilitator, other settings create a new one", async () => {
  const { host, events } = setUp();
  await host.use("a");
  await host.use("a");
  expect(await host.facilitator.supported()).toEqual([{ scheme: "a", network: "eip155:1" }]);
  await host.use("b");
  expect(await host.facilitator.supported()).toEqual([{ scheme: "b", network: "eip155:1" }]);
  await host.close();
  expect(events).toEqual(["a made", "b made", "a closed", "b closed"]);
});

test("a new facilitator settles only after the previous one has finished, so that one owner assigns a key's nonces", async () => {
  const { host, events, end } = setUp();
  await host.use("a");
  const first = host.facilitator.settle(payment, REQUIREMENTS);
  await until(() => events.includes("a settles"));
  await host.use("b");
  const second = host.facilitator.settle(payment, REQUIREMENTS);
  expect(await host.facilitator.find(payment, REQUIREMENTS)).toEqual({ kind: "unspent" });
  expect(events).toEqual(["a made", "a settles", "b made"]);
  end();
  expect(await first).toEqual(SETTLED);
  const closed = host.close();
  await until(() => events.includes("b settles"));
  end();
  expect(await second).toEqual(SETTLED);
  await closed;
  expect(events).toEqual(["a made", "a settles", "b made", "a closed", "b settles", "b closed"]);
});

test("if no facilitator can be created from the settings, the current one stays", async () => {
  const { host } = setUp();
  await host.use("a");
  expect(await host.use("broken").then(String, String)).toBe("Error: Cannot make it");
  expect(host.settings).toBe("a");
  expect(await host.facilitator.verify(payment, REQUIREMENTS)).toMatchObject({ kind: "valid" });
  await host.close();
});

test("a configuration without a facilitator leaves it to payments in progress", async () => {
  const { host, events } = setUp();
  await host.use("a");
  await host.use(undefined);
  expect(await host.facilitator.verify(payment, REQUIREMENTS)).toMatchObject({ kind: "valid" });
  await host.use("a");
  await host.close();
  expect(events).toEqual(["a made", "a closed"]);
});

test("payments from channels go to the current facilitator, and are refused by one without channels", async () => {
  const events: string[] = [];
  const order = { x402Version: 2, accepted, payload: { type: "settle", receiver: PAYER, token: PAYER } } as const;
  const config = channelConfig(accepted, PAYER);
  const voucher = { channelId: `0x${"12".repeat(32)}`, maxClaimableAmount: "1", signature: "0x" } as const;
  const paid = { x402Version: 2, accepted, payload: { type: "voucher", channelConfig: config, voucher } } as const;
  const gate = Promise.withResolvers<void>();
  const host = new EmbeddedHost<string>((name) => ({
    ...setUp().host.facilitator,
    close: async () => void events.push(`${name} closed`),
    channels:
      name === "without"
        ? undefined
        : {
            verify: async () => ({ kind: "unavailable", cause: name }),
            settle: async () => {
              events.push(`${name} settles`);
              await gate.promise;
              return { kind: "unknown", cause: name, transaction: "" };
            },
          },
  }));
  await host.use("without");
  const refused = { kind: "refused", reason: "invalid_scheme" } as const;
  expect(await host.facilitator.channels?.verify(paid, accepted)).toEqual(refused);
  expect(await host.facilitator.channels?.settle(order, accepted)).toEqual(refused);
  await host.use("with");
  expect(await host.facilitator.channels?.verify(paid, accepted)).toEqual({ kind: "unavailable", cause: "with" });
  const settling = host.facilitator.channels?.settle(order, accepted);
  await until(() => events.includes("with settles"));
  const closed = host.close();
  await new Promise(setImmediate);
  expect(events).toEqual(["without closed", "with settles"]);
  gate.resolve();
  expect(await settling).toMatchObject({ cause: "with" });
  await closed;
  expect(events.at(-1)).toBe("with closed");
});

test("a facilitator that is configured no more closes after 15 minutes, unless it is configured again", async () => {
  let isOver = false;
  using timers = watchTimers((ms) => (ms === 900_000 && isOver ? 1 : ms));
  const { host, events } = setUp();
  await host.use("a");
  await host.use(undefined);
  expect(timers.pending(900_000)).toBe(1);
  await host.use("a");
  expect(timers.pending(900_000)).toBe(0);
  isOver = true;
  await host.use(undefined);
  await until(() => events.includes("a closed"));
  expect(await host.facilitator.supported().then(String, String)).toContain("it is not configured");
  isOver = false;
  await host.use("b");
  await host.use(undefined);
  await host.close();
  expect([timers.pending(900_000), events.at(-1)]).toEqual([0, "b closed"]);
});
