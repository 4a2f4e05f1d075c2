import { expect, test } from "bun:test";
import { TlsSessions } from "./tls-sessions.ts";

const MINUTE = 60_000;

test("the sessions of the last 256 servers are kept", () => {
  const sessions = new TlsSessions();
  for (let i = 0; i < 256; i++) sessions.set(`server ${i}`, Buffer.of(i), Date.now());
  sessions.set("server 0", Buffer.of(1), Date.now());
  sessions.set("server 256", Buffer.of(2), Date.now());
  expect(["server 0", "server 1", "server 256"].map((key) => sessions.get(key)?.[0])).toEqual([1, undefined, 2]);
});

test("a session ends ten minutes after the certificate was shown, even if it was resumed", () => {
  const sessions = new TlsSessions();
  sessions.set("young", Buffer.of(1), Date.now() - 9 * MINUTE);
  sessions.set("old", Buffer.of(1), Date.now() - 11 * MINUTE);
  expect([sessions.get("young")?.[0], sessions.get("old")]).toEqual([1, undefined]);
  const began = sessions.beganAt("young");
  sessions.set("young", Buffer.of(2), began);
  expect(sessions.beganAt("young")).toBe(began);
});
