import { expect, test } from "bun:test";
import { isLoopback, requireLoopback } from "./loopback-only.ts";

test("test mode works only on loopback addresses", () => {
  for (const address of [
    "127.0.0.1",
    "127.9.9.9",
    "::1",
    "[::1]",
    "localhost",
    "0:0:0:0:0:0:0:1",
    "::ffff:127.0.0.1",
  ]) {
    expect(isLoopback(address)).toBe(true);
  }
  for (const address of ["0.0.0.0", "::", "", "10.0.0.1", "127.0.0.1.example.com", "1270.0.0.1", "::2", "*"]) {
    expect(isLoopback(address)).toBe(false);
  }
  expect(() => requireLoopback([{ address: "127.0.0.1", port: 1 }])).not.toThrow();
  expect(() =>
    requireLoopback([
      { address: "127.0.0.1", port: 1 },
      { address: "0.0.0.0", port: 8080 },
    ]),
  ).toThrow("Cannot accept payments in test mode: the listener 0.0.0.0:8080 can be reached from other machines");
});
