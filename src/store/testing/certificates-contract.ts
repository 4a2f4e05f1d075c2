import { describe, expect, test } from "bun:test";
import { type CertificateStore } from "../certificate-store.ts";
import { START } from "./contract-harness.ts";

/** Creates an empty store. Each call of the result opens it as one more process. */
export type NewCertificates = () => Promise<(now: () => number) => CertificateStore>;

interface Opened {
  readonly clock: { now: number };
  readonly a: CertificateStore;
  readonly b: CertificateStore;
}

/** One empty store, opened twice as by two processes. */
async function openTwice(newStore: NewCertificates): Promise<Opened> {
  const open = await newStore();
  const clock = { now: START };
  return { clock, a: open(() => clock.now), b: open(() => clock.now) };
}

/** For tests only: behaviour that every `CertificateStore` must have. */
export function testCertificates(kind: string, newStore: NewCertificates): void {
  describe(`certificates in ${kind}`, () => {
    test("another process reads entries that were written, replaced and removed", async () => {
      const { a, b } = await openTwice(newStore);
      await a.write("certificate-a.test", "one");
      await a.write("account-1", "key");
      expect(await b.read()).toEqual(
        new Map([
          ["account-1", "key"],
          ["certificate-a.test", "one"],
        ]),
      );
      await b.write("certificate-a.test", "two\u20ac\n");
      await b.write("account-1", undefined);
      expect([...(await a.read())]).toEqual([["certificate-a.test", "two\u20ac\n"]]);
      await a.close();
      await b.close();
    });

    test("an entry with a time expires", async () => {
      const { clock, a, b } = await openTwice(newStore);
      await a.write("challenge-x", "now", 1000);
      clock.now += 999;
      expect((await b.read()).get("challenge-x")).toBe("now");
      clock.now += 1;
      expect((await b.read()).size).toBe(0);
      await a.close();
      await b.close();
    });

    test("one process has the lock, until it releases the lock or the lock expires", async () => {
      const { clock, a, b } = await openTwice(newStore);
      expect([await a.lease(1000), await b.lease(1000), await a.lease(1000)]).toEqual([true, false, true]);
      expect((await b.read()).size).toBe(0);
      await a.lease(0);
      expect(await b.lease(1000)).toBe(true);
      expect(await a.lease(1000)).toBe(false);
      // The state that a killed process leaves.
      clock.now += 1000;
      expect(await a.lease(1000)).toBe(true);
      await a.close();
      await b.close();
    });

    test("a process whose lock has expired neither renews nor releases the lock of the next one", async () => {
      const { clock, a, b } = await openTwice(newStore);
      expect(await a.lease(1000)).toBe(true);
      // The process was stopped in between.
      clock.now += 1001;
      expect([await b.lease(1000), await a.lease(1000)]).toEqual([true, false]);
      clock.now += 1001;
      expect([await a.lease(1000), await b.lease(0), await b.lease(1000)]).toEqual([true, true, false]);
      await a.close();
      await b.close();
    });

    test("the lock of a killed process ends when the clock is set back by more than its time", async () => {
      const { clock, a, b } = await openTwice(newStore);
      expect([await a.lease(1000), await b.lease(1000)]).toEqual([true, false]);
      clock.now -= 86_400_000;
      expect(await b.lease(1000)).toBe(true);
      await a.close();
      await b.close();
    });

    test("the holder's renewal counts from its own time, and nobody else can release the lock", async () => {
      const { clock, a, b } = await openTwice(newStore);
      expect(await a.lease(1000)).toBe(true);
      clock.now += 900;
      expect(await a.lease(1000)).toBe(true);
      clock.now += 900;
      expect([await b.lease(1000), await b.lease(0), await b.lease(1000)]).toEqual([false, true, false]);
      await b.close();
      expect(await a.lease(0)).toBe(true);
      const late = (await newStore())(() => clock.now);
      expect([await late.lease(0), await late.lease(1000)]).toEqual([true, true]);
      for (const store of [a, late]) await store.close();
    });

    test("a name that cannot be a file name is refused", async () => {
      const { a, b } = await openTwice(newStore);
      for (const name of ["../x", "a/b", "", "lock", ".x", "a b"])
        expect(await a.write(name, "x").catch(String)).toContain("by the name");
      await a.close();
      await b.close();
    });
  });
}
