import { beforeEach, describe, expect, test } from "bun:test";
import { type Outgoing } from "../wire/outgoing.ts";
import { SendQueue } from "./send-queue.ts";
import { type Http2Stream } from "./stream.ts";

let sent: string[];
/** Frames until the socket is full. */
let room: number;
let queue: SendQueue;

beforeEach(() => {
  sent = [];
  room = Number.POSITIVE_INFINITY;
  const out = {
    get blocked() {
      return room <= 0;
    },
  } as Outgoing; // The queue reads nothing else.
  queue = new SendQueue({ out, sendWindow: 0 });
});

class Stream {
  queued = false;
  isStarved = false;
  sendWindow = 1;
  onTurn = (): void => {};
  readonly name: string;
  frames: number;
  constructor(name: string, frames: number) {
    this.name = name;
    this.frames = frames;
  }
  /** True if it has no more to send. */
  sendTurn(): boolean {
    this.onTurn();
    sent.push(this.name);
    room--;
    this.frames--;
    return this.frames === 0;
  }
  tellSendable(): void {
    sent.push(`${this.name} done`);
  }
  starve(): void {
    sent.push(`${this.name} starved`);
  }
}

function add(stream: Stream): Stream {
  queue.add(stream as unknown as Http2Stream);
  return stream;
}

function remove(stream: Stream): void {
  queue.remove(stream as unknown as Http2Stream);
}

describe("streams with data to send", () => {
  test("send a frame each in turn, until the socket is full", () => {
    const [a, b] = [add(new Stream("a", 2)), add(new Stream("b", 3))];
    add(a);
    room = 3;
    queue.pump();
    expect(sent).toEqual(["a", "b", "a", "a done"]);
    room = Number.POSITIVE_INFINITY;
    queue.pump();
    expect([sent.slice(4), a.queued, b.queued]).toEqual([["b", "b", "b done"], false, false]);
  });

  test("are sent by one loop at a time, also after one of them has thrown", () => {
    const a = add(new Stream("a", 1));
    const b = add(new Stream("b", 1));
    a.onTurn = () => {
      queue.pump();
      throw new Error("broken");
    };
    expect(() => queue.pump()).toThrow("broken");
    expect(sent).toEqual([]);
    queue.pump();
    expect([sent, b.queued]).toEqual([["b", "b done"], false]);
  });

  test("leave with their own window, and wait for that of the connection", () => {
    const shut = add(new Stream("shut", 1));
    const starved = add(new Stream("starved", 1));
    const free = add(new Stream("free", 1));
    shut.isStarved = starved.isStarved = true;
    shut.sendWindow = 0;
    queue.pump();
    expect(sent).toEqual(["shut starved", "starved starved", "free", "free done"]);
    expect([shut.queued, starved.queued, free.queued]).toEqual([false, true, false]);
    queue.pump();
    expect(sent).toHaveLength(4);
    starved.isStarved = false;
    add(starved);
    queue.pump();
    expect(sent).toHaveLength(4);
    queue.windowOpened();
    queue.pump();
    queue.windowOpened();
    queue.pump();
    expect(sent.slice(4)).toEqual(["starved", "starved done"]);
  });

  test("are forgotten when they close, also while a window is shut", () => {
    const [a, b] = [add(new Stream("a", 1)), add(new Stream("b", 1))];
    b.isStarved = true;
    remove(a);
    queue.pump();
    remove(b);
    remove(b);
    b.isStarved = false;
    queue.windowOpened();
    queue.pump();
    expect([sent, a.queued, b.queued]).toEqual([["b starved"], false, false]);
    add(a);
    remove(new Stream("c", 1));
    queue.pump();
    expect(sent.slice(1)).toEqual(["a", "a done"]);
  });
});
