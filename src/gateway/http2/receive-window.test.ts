import { expect, test } from "bun:test";
import { ReceiveWindow } from "./receive-window.ts";

test("a window accepts the bytes that it has left, and no more", () => {
  const window = new ReceiveWindow(100);
  expect([window.receive(60), window.receive(40), window.receive(1)]).toEqual([true, true, false]);
});

test("taken bytes are given back once they make up half of the window", () => {
  const window = new ReceiveWindow(100);
  window.receive(100);
  expect([window.take(49), window.take(1), window.take(49)]).toEqual([0, 50, 0]);
  expect([window.receive(50), window.receive(1)]).toEqual([true, false]);
});

test("a smaller window has fewer bytes left", () => {
  const window = new ReceiveWindow(100);
  window.receive(20);
  window.resize(-60);
  expect([window.receive(20), window.receive(1)]).toEqual([true, false]);
});

test("a smaller window gives back half of its new size at a time", () => {
  const window = new ReceiveWindow(100);
  window.receive(40);
  window.resize(-60);
  expect([window.take(19), window.take(1)]).toEqual([0, 20]);
});
