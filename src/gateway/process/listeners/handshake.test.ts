import { expect, test } from "bun:test";
import { FakeClock } from "../../../lib/testing/fake-clock.ts";
import { TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { type ServerConnection } from "../../exchange/server-host.ts";
import { FakeWire } from "../../wire/testing/fake-wire.ts";
import { Handshake } from "./handshake.ts";

const MAX_HANDSHAKES = 1024;

const PEER = { protocol: "", serverName: "", clientSubject: undefined, version: "TLSv1.3", resumed: false };

interface Begun {
  readonly wire: FakeWire;
  readonly handshake: Handshake;
}

function starter(): { begin: () => Begun; clock: FakeClock; closed: ServerConnection[]; failed: Handshake[] } {
  const clock = new FakeClock();
  const closed: ServerConnection[] = [];
  const failed: Handshake[] = [];
  const entrance = { wheel: new TimerWheel(clock), closed: (one: ServerConnection): void => void closed.push(one) };
  return {
    clock,
    closed,
    failed,
    begin() {
      const wire = new FakeWire();
      const handshake: Handshake = new Handshake(wire, entrance, 1000, {
        secured() {},
        failed: () => void failed.push(handshake),
      });
      wire.onClose = () => handshake.onClose();
      return { wire, handshake };
    },
  };
}

test("one handshake over the limit closes the oldest one, and no other", () => {
  const { begin, closed, failed } = starter();
  const begun = Array.from({ length: MAX_HANDSHAKES }, begin);
  expect(begun.filter(({ wire }) => wire.closed)).toEqual([]);
  // A completed handshake does not count.
  begun[0]?.handshake.onSecure(PEER);
  begun.push(begin());
  expect(begun.filter(({ wire }) => wire.closed)).toEqual([]);
  begun.push(begin());
  expect(begun.filter(({ wire }) => wire.closed)).toEqual(begun.slice(1, 2));
  for (const { wire } of begun.slice(2)) wire.terminate();
  expect(closed).toEqual(begun.map(({ handshake }) => handshake));
  expect(closed.slice(1)).toEqual(failed);
});

test("a handshake is closed at its timeout, and not before", () => {
  const { begin, clock } = starter();
  const { wire } = begin();
  clock.advance(900);
  expect(wire.closed).toBe(false);
  clock.advance(200);
  expect(wire.closed).toBe(true);
});
