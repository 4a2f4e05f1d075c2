import { expect, setSystemTime, test } from "bun:test";
import { TlsSessions } from "./tls-sessions.ts";

const MINUTE = 60_000;

test("the sessions of the last 256 servers are kept", () => {
  const sessions = new TlsSessions();
  for (let i = 0; i < 256; i++) sessions.set(`server ${i}`, Buffer.of(i), sessions.clock());
  sessions.set("server 0", Buffer.of(1), sessions.clock());
  sessions.set("server 256", Buffer.of(2), sessions.clock());
  expect(["server 0", "server 1", "server 256"].map((key) => sessions.get(key)?.[0])).toEqual([1, undefined, 2]);
});

test("a session ends ten minutes after the certificate was shown, even if it was resumed", () => {
  let now = 1000;
  const sessions = new TlsSessions(() => now);
  sessions.set("server", Buffer.of(1), sessions.beganAt("server"));
  now += 10 * MINUTE - 1;
  expect(sessions.get("server")?.[0]).toBe(1);
  sessions.set("server", Buffer.of(2), sessions.beganAt("server"));
  expect([sessions.get("server")?.[0], sessions.beganAt("server")]).toEqual([2, 1000]);
  now += 1;
  expect([sessions.get("server"), sessions.beganAt("server")]).toEqual([undefined, now]);
});

test("a system clock that is set ends no session", () => {
  const sessions = new TlsSessions();
  sessions.set("server", Buffer.of(1), sessions.beganAt("server"));
  setSystemTime(Date.now() + 60 * MINUTE);
  try {
    expect(sessions.get("server")?.[0]).toBe(1);
  } finally {
    setSystemTime();
  }
});
