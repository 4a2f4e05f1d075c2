import { expect, test } from "bun:test";
import { type ChannelFacilitator } from "../x402/channel-facilitator.ts";
import { type Facilitator, type Kind } from "../x402/facilitator.ts";
import { facilitatorFor } from "./facilitator-for.ts";

function never(): never {
  throw new Error("it is not asked");
}

/** A facilitator that is only asked for its kinds; `kinds` undefined: it does not respond. */
function knowing(networks: readonly string[] | undefined, scheme = "batch-settlement"): Facilitator {
  const channels: ChannelFacilitator = { verify: never, settle: never };
  const supported = async (): Promise<readonly Kind[]> => {
    if (networks === undefined) throw new Error("it does not respond");
    return networks.map((network) => ({ scheme, network }));
  };
  return { supported, verify: never, settle: never, find: never, close: async () => {}, channels };
}

test("the first facilitator that knows channels of the network works on them", async () => {
  const [other, exact, right] = [knowing(["eip155:1"]), knowing(["eip155:8453"], "exact"), knowing(["eip155:8453"])];
  expect(await facilitatorFor("eip155:8453", [other, exact, right])).toBe(right.channels);
  expect(await facilitatorFor("eip155:8453", [other, exact])).toBeUndefined();
  const all = knowing(["eip155:*"]);
  expect(await facilitatorFor("eip155:8453", [knowing([]), all, right])).toBe(all.channels);
});

test("a facilitator that does not tell what it knows is asked if no other is known to fit", async () => {
  for (const silent of [knowing([]), knowing(undefined)]) {
    expect(await facilitatorFor("eip155:8453", [knowing(["eip155:1"]), silent])).toBe(silent.channels);
    const right = knowing(["eip155:8453"]);
    expect(await facilitatorFor("eip155:8453", [silent, right])).toBe(right.channels);
  }
  const without: Facilitator = { ...knowing(["eip155:8453"]), channels: undefined };
  expect(await facilitatorFor("eip155:8453", [without])).toBeUndefined();
});
