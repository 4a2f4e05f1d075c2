import { expect, test } from "bun:test";
import { type NewDatabase, openFresh } from "./contract-harness.ts";
import { RESERVATION } from "./reservation.ts";

const BOOKING = { ...RESERVATION, digest: "0x1", to: "0xto", transaction: "0xaa" };

/** For tests only: behaviour that every `Bookings` must have. */
export function testBookings(newDatabase: NewDatabase): void {
  test("the first transfer with a nonce is recorded, and no other", async () => {
    await using opened = await openFresh(newDatabase);
    const { bookings } = opened.store;
    expect(await bookings.book(BOOKING)).toMatchObject({ digest: "0x1", transaction: "0xaa" });
    expect(await bookings.book({ ...BOOKING, digest: "0x2", transaction: "0xbb" })).toMatchObject({ digest: "0x1" });
    expect(await bookings.find({ ...RESERVATION, nonce: "0xelse" })).toBeUndefined();
  });

  test("old transfers that no payment can refer to are deleted", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    await store.bookings.book(BOOKING);
    clock.now += 2 * 86_400_000;
    await store.bookings.book({ ...BOOKING, nonce: "0x2" });
    expect(await store.bookings.find(BOOKING)).toBeDefined();
    clock.now += 1;
    await store.bookings.book({ ...BOOKING, nonce: "0x3" });
    expect(await store.bookings.find(BOOKING)).toBeUndefined();
  });
}
