import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../../lib/testing/patience.ts";
import { type Store } from "../../../store/store.ts";
import { AdminRig, OWNER, SELLING } from "../testing/admin-rig.ts";

setDefaultTimeout(patient(20_000));

let rig: AdminRig;

beforeAll(async () => {
  rig = await AdminRig.start(SELLING);
});
afterAll(() => rig[Symbol.asyncDispose]());

function failing(): Store {
  throw new Error("the disk is gone");
}

async function broken(): Promise<never> {
  throw new Error("the disk is full");
}

const refundUnknown = () => rig.call("POST", "/v1/payments/x/refunds", { body: {} });

describe("every operation on the store", () => {
  const CALLS: readonly (readonly [method: string, path: string, body?: object])[] = [
    ["GET", "/v1/credits"],
    ["POST", "/v1/credits", { owner: OWNER, calls: 1 }],
    ["GET", "/v1/credits/x"],
    ["DELETE", "/v1/credits/x"],
    ["POST", "/v1/credits/x/refunds", {}],
    ["GET", "/v1/channels"],
    ["POST", "/v1/channels/claims"],
    ["DELETE", "/v1/channels/x"],
    ["GET", "/v1/payments/search"],
    ["GET", "/v1/payments/payers"],
    ["GET", "/v1/payments/x"],
    ["GET", "/v1/usage/hours"],
  ];

  for (const [method, path, body] of CALLS) {
    test(`${method} ${path} gets 503 while the store cannot be opened, or no store exists`, async () => {
      for (const [store, reason] of [
        [failing, /the disk is gone/],
        [() => undefined, /in the memory of the workers|sells nothing|no store|not open/],
      ] as const) {
        await rig.during(store, async () => {
          const refused = await rig.call(method, path, { body });
          expect(refused.body).toMatchObject({ status: 503, code: "store_unavailable" });
          expect(refused.body.detail).toMatch(reason);
        });
      }
      expect(rig.errors).toEqual([]);
    });
  }

  test("shows payments without a store as not available", async () => {
    await rig.during(
      () => undefined,
      async () => {
        expect((await rig.call("GET", "/v1/payments")).body).toEqual({
          available: false,
          reason: "This gateway sells nothing: it has no ledger",
        });
      },
    );
  });

  test("refuses the refund of a payment without a store", async () => {
    await rig.during(failing, async () => {
      expect((await refundUnknown()).body).toMatchObject({ status: 503, code: "store_unavailable" });
    });
    await rig.during(
      () => undefined,
      async () => {
        expect((await refundUnknown()).body).toMatchObject({ status: 409, code: "refund_refused" });
      },
    );
  });

  test("gets 503 if the store fails while it is used", async () => {
    const part = { find: broken, list: broken, search: broken, demand: broken, hours: broken };
    const store = { credits: part, channels: part, view: part } as unknown as Store;
    await rig.during(
      () => store,
      async () => {
        for (const path of ["/v1/credits", "/v1/credits/x", "/v1/channels", "/v1/payments/search?text=0x1234"]) {
          const { status, body } = await rig.call("GET", path);
          expect([path, status, body.detail]).toEqual([path, 503, expect.stringContaining("the disk is full")]);
        }
      },
    );
  });
});
