import { expect, test } from "bun:test";
import { PixelBudget } from "./pixel-budget.ts";

const patient = <T>(promise: Promise<T>) => promise;

test("pictures are captured at one time up to the total, and in order", async () => {
  const budget = new PixelBudget(100);
  const order: string[] = [];
  const first = await budget.take(60, patient);
  const second = await budget.take(40, patient);
  const third = budget.take(80, patient).then((end) => {
    order.push("third");
    return end;
  });
  // This one would fit before the third, but came later.
  const fourth = budget.take(10, patient).then((end) => {
    order.push("fourth");
    return end;
  });
  second();
  second();
  await Promise.resolve();
  expect(order).toEqual([]);
  first();
  (await third)();
  (await fourth)();
  expect(order).toEqual(["third", "fourth"]);
});

test("a picture that is larger than the total is captured alone", async () => {
  const budget = new PixelBudget(100);
  const small = await budget.take(1, patient);
  let begun = false;
  const large = budget.take(1_000, patient).then((end) => {
    begun = true;
    return end;
  });
  await Promise.resolve();
  expect(begun).toBeFalse();
  small();
  (await large)();
  (await budget.take(100, patient))();
});

test("no more pictures wait than the limit", async () => {
  const budget = new PixelBudget(100);
  const held = await budget.take(100, patient);
  const waiting = Array.from({ length: 64 }, () => budget.take(1, patient));
  expect(await budget.take(1, patient).catch((error: unknown) => error)).toMatchObject({ code: "overloaded" });
  held();
  for (const end of await Promise.all(waiting)) end();
  (await budget.take(100, patient))();
});

test("a picture that stops waiting makes room for the next", async () => {
  const budget = new PixelBudget(100);
  const held = await budget.take(50, patient);
  const gone = Promise.withResolvers<never>();
  const large = budget.take(100, (promise) => Promise.race([promise, gone.promise])).catch((error: unknown) => error);
  const small = budget.take(50, patient);
  gone.reject(new Error("gone"));
  expect(String(await large)).toContain("gone");
  (await small)();
  held();
  (await budget.take(100, patient))();
});
