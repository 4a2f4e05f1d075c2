import { expect, test } from "bun:test";
import { type NewDatabase, openFresh } from "./contract-harness.ts";
import { RESERVATION } from "./reservation.ts";

const TRANSFER = { ...RESERVATION, digest: "0x1", to: "0xto", transaction: "0xaa" };

/** For tests only: behaviour that every `Simulated transfers` must have. */
export function testSimulatedTransfers(newDatabase: NewDatabase): void {
  test("the first transfer with a nonce is recorded, and no other", async () => {
    await using opened = await openFresh(newDatabase);
    const { simulatedTransfers } = opened.store;
    expect(await simulatedTransfers.book(TRANSFER)).toMatchObject({ digest: "0x1", transaction: "0xaa" });
    expect(await simulatedTransfers.book({ ...TRANSFER, digest: "0x2", transaction: "0xbb" })).toMatchObject({
      digest: "0x1",
    });
    expect(await simulatedTransfers.find({ ...RESERVATION, nonce: "0xelse" })).toBeUndefined();
  });

  test("old transfers that no payment can refer to are deleted", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    await store.simulatedTransfers.book(TRANSFER);
    clock.now += 2 * 86_400_000;
    await store.simulatedTransfers.book({ ...TRANSFER, nonce: "0x2" });
    expect(await store.simulatedTransfers.find(TRANSFER)).toBeDefined();
    clock.now += 1;
    await store.simulatedTransfers.book({ ...TRANSFER, nonce: "0x3" });
    expect(await store.simulatedTransfers.find(TRANSFER)).toBeUndefined();
  });
}
