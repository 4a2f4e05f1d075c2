import { expect, test } from "bun:test";
import { until } from "../../lib/testing/until.ts";
import { EmbeddedHost } from "./embedded-host.ts";
import { type Facilitator, type Settlement } from "../x402/facilitator.ts";
import { PAYER, REQUIREMENTS, signedPayment } from "../testing/payment.ts";

const SETTLED: Settlement = { kind: "settled", transaction: `0x${"ab".repeat(32)}`, payer: PAYER };
const payment = signedPayment(1_800_000_000);

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
