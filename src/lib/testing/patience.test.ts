import { expect, test } from "bun:test";
import { factorOf, patient, PATIENCE_FACTOR } from "./patience.ts";

test.each([
  { name: "a quiet machine", text: undefined, load: "0.10 0.20 0.30 1/400 9", cpus: 2, factor: 1 },
  {
    name: "a machine with as much to do as it can",
    text: undefined,
    load: "2.00 1.00 1.00 2/400 9",
    cpus: 2,
    factor: 1,
  },
  { name: "a busy one", text: undefined, load: "25.00 9.00 5.00 3/400 9", cpus: 4, factor: 7 },
  { name: "one that has become busy just now", text: undefined, load: "0.50 0.20 0.10 9/400 9", cpus: 2, factor: 5 },
  { name: "one that is busy beyond measure", text: undefined, load: "400.00 1.00 1.00 3/400 9", cpus: 2, factor: 10 },
  { name: "no load average", text: undefined, load: "", cpus: 2, factor: 1 },
  { name: "a factor that is given", text: "3.5", load: "25.00 9.00 5.00 3/400 9", cpus: 2, factor: 3.5 },
  { name: "one that makes no sense", text: "quick", load: "25.00 9.00 5.00 3/400 9", cpus: 4, factor: 7 },
  { name: "one below 1", text: "0.1", load: "0.10 0.20 0.30 1/400 9", cpus: 2, factor: 1 },
])("$name", ({ text, load, cpus, factor }) => {
  expect(factorOf(text, load, cpus)).toBe(factor);
});

test("waits are multiplied by the factor, which child processes share", () => {
  expect(patient(100)).toBe(100 * PATIENCE_FACTOR);
  expect(process.env["TURNPIKE_TEST_PATIENCE"]).toBe(String(PATIENCE_FACTOR));
});
