import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../../lib/testing/patience.ts";
import { type Store } from "../../../store/store.ts";
import { AdminRig, READ_ONLY_KEY, SELLING, USDC } from "../testing/admin-rig.ts";

setDefaultTimeout(patient(20_000));

let rig: AdminRig;

beforeAll(async () => {
  rig = await AdminRig.start(SELLING);
});
afterAll(() => rig[Symbol.asyncDispose]());

describe("payment channels", () => {
  const STATE = { balance: "10000", claimed: "0", withdrawAt: 0, refundNonce: "0" };

  async function open(number: number): Promise<string> {
    const id = `0x${number.toString(16).padStart(64, "c")}`;
    rig.now += 1;
    const identity = {
      id,
      network: "eip155:84532",
      payer: "0xpayer",
      payerAuthorizer: "0xauthorizer",
      receiver: "0xreceiver",
      receiverAuthorizer: "0xseller",
      token: USDC,
      withdrawDelay: 900,
      salt: "0xsalt",
    };
    await rig.opened.channels.open(identity, STATE, rig.now);
    return id;
  }

  test("are listed in pages of 100, the last used first; claimed, and closed once", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 100; i++) ids.unshift(await open(i));
    const page = async (query = ""): Promise<unknown> => {
      const { channels, more } = (await rig.call("GET", `/v1/channels${query}`, { key: READ_ONLY_KEY })).body;
      return [channels.map(({ id }: { id: string }) => id), more];
    };
    expect(await page()).toEqual([ids, false]);
    ids.unshift(await open(100));
    expect(await page()).toEqual([ids.slice(0, 100), true]);
    expect(await page(`?before=${ids[99]?.toUpperCase().replace("X", "x")}`)).toEqual([ids.slice(100), false]);
    expect((await rig.call("GET", "/v1/channels?before=0xnone")).body).toMatchObject({
      status: 404,
      detail: 'Cannot find the channel "0xnone"',
    });
    const [first = ""] = ids;
    const { body } = await rig.call("GET", "/v1/channels");
    expect(body.channels[0]).toEqual({
      id: first,
      network: "eip155:84532",
      payer: "0xpayer",
      receiver: "0xreceiver",
      asset: USDC,
      symbol: "USDC",
      decimals: 6,
      standing: "open",
      balance: "10000",
      charged: "0",
      claimed: "0",
      lost: "0",
      reserved: "0",
      withdraw_at_s: 0,
      synced_ms: rig.now,
      used_ms: rig.now,
    });
    const claim = (query: string) => rig.call("POST", `/v1/channels/claims${query}`);
    expect((await claim("")).body).toEqual({ channels: 0 });
    expect((await claim(`?channel=${first}`)).body).toEqual({ channels: 0 });
    expect((await claim("?channel=0xnone")).status).toBe(404);
    expect(rig.messages.at(-1)).toBe("demanded the charges of 0 channels");
    const close = (id: string, key?: string) =>
      rig.call("DELETE", `/v1/channels/${id}`, key === undefined ? {} : { key });
    expect((await close(first, READ_ONLY_KEY)).status).toBe(403);
    expect((await rig.call("POST", "/v1/channels/claims", { key: READ_ONLY_KEY })).status).toBe(403);
    expect((await close(first)).body).toMatchObject({ id: first, standing: "closing" });
    expect(rig.messages.at(-1)).toBe(`closed the channel ${first}`);
    const count = rig.messages.length;
    expect((await close(first)).body).toMatchObject({ status: 409, code: "payment_conflict" });
    expect((await close("0xnone")).status).toBe(404);
    expect(rig.messages).toHaveLength(count);
  });

  test("show what is reserved, charged, and lost", async () => {
    const id = await open(200);
    const channel = { ...(await rig.opened.channels.find(id)) } as object;
    const shown = async (own: object): Promise<unknown> => {
      const list = async () => [{ ...channel, charged: "70", claimed: "20", base: "100", ...own }];
      const store = { channels: { list } } as unknown as Store;
      let one: unknown;
      await rig.during(
        () => store,
        async () => void ([one] = (await rig.call("GET", "/v1/channels")).body.channels),
      );
      return one;
    };
    expect(await shown({ owedSince: 5 })).toMatchObject({ charged: "70", claimed: "20", lost: "0", reserved: "30" });
    expect(await shown({ owedSince: 0 })).toMatchObject({ lost: "50", reserved: "30" });
    const unknown = (await shown({ token: "0x1", owedSince: 5 })) as object;
    expect(Object.keys(unknown)).not.toContain("symbol");
  });
});
