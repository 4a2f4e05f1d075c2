import { expect, test } from "bun:test";
import { ownControl, sharedControl } from "./control-settings.ts";

const of = (wasm_control_socket: string) => ({
  wasm_control_socket,
  wasm_control_connections: 3,
  wasm_host_call_deadline_ms: 700,
});
const SETTINGS = { connections: 3, commandMs: 700 };

test.each([
  ["", 0, true, undefined],
  ["", 0, false, undefined],
  ["/run/a.sock", 0, true, { path: "/run/a.sock", ...SETTINGS }],
  ["/run/a.sock", 0, false, undefined],
  ["/run/{worker}.sock", 2, false, { path: "/run/2.sock", ...SETTINGS }],
  ["/run/{worker}/{worker}.sock", 10, true, { path: "/run/10/10.sock", ...SETTINGS }],
] as const)(
  "with the path %j, the worker %i has a socket of its own if it is the only one or named (only: %p)",
  (...row) => {
    const [path, index, isOnly, settings] = row;
    expect(ownControl(of(path), index, isOnly)).toEqual(settings);
  },
);

test.each([
  ["", undefined],
  ["/run/a.sock", { path: "/run/a.sock", ...SETTINGS }],
  ["/run/{worker}.sock", undefined],
])("with the path %j, the workers share %p", (path, settings) => {
  expect(sharedControl(of(path))).toEqual(settings);
});
