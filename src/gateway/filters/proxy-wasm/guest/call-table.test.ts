import { expect, test } from "bun:test";
import { type CallGroup, type GrpcListener, type GrpcOutcome, type HttpCallOutcome } from "../../calls/call.ts";
import { CallTable } from "./call-table.ts";
import { type Callbacks } from "./callbacks.ts";
import { BUFFER, MAP } from "./enums.ts";
import { type Plugin } from "./plugin.ts";
import { PluginContext } from "./plugin-context.ts";
import { type Runner } from "./runner.ts";

const PLUGIN = { settings: { config: "own", vmConfig: "all" } } as unknown as Plugin; // Nothing else is used.

const run: Runner["run"] = (_context, _name, called) => called();

/** A table whose filter has these callbacks, and a group of calls that a test ends. */
function open(callbacks: Partial<Callbacks> = {}, root = new PluginContext({ plugin: PLUGIN }, 1)) {
  const runner = { root, callbacks, run } as unknown as Runner; // Nothing else is used.
  const cancelled: string[] = [];
  const ends: { http?: (outcome: HttpCallOutcome) => void; grpc?: (outcome: GrpcOutcome) => void } = {};
  let listener: GrpcListener | undefined;
  const group: CallGroup = {
    http(_request, done) {
      ends.http = done;
      return { cancel: () => void cancelled.push("http") };
    },
    grpc(_request, done) {
      ends.grpc = done;
      return { cancel: () => void cancelled.push("grpc") };
    },
    grpcStream(_request, given) {
      listener = given;
      return { cancel: () => void cancelled.push("stream"), send: () => "sent", halfClose() {} };
    },
    size: 0,
    close() {},
  };
  const table = new CallTable(runner);
  const begun = [table.http(group, {} as never), table.grpc(group, {} as never), table.grpcStream(group, {} as never)];
  const ids = begun.map(Number);
  const finish = (status = 5): void => {
    ends.http?.({
      kind: "response",
      fields: [
        [":status", "200"],
        ["a", "1"],
      ],
      trailers: [["t", "2"]],
      body: Buffer.from("body"),
    });
    const reply = status === 0 ? Buffer.from("reply") : undefined;
    ends.grpc?.({ status, message: "why", reply, initialMetadata: [["i", "3"]], trailingMetadata: [["j", "4"]] });
    listener?.initialMetadata([["k", "5"]]);
    listener?.message(Buffer.from("message"));
    listener?.trailingMetadata([["l", "6"]]);
    listener?.closed(7, "end");
  };
  return { table, ids, cancelled, finish, root };
}

test("calls are cancelled once, each by its id or all together", () => {
  const { table, ids, cancelled } = open();
  const [http = 0] = ids;
  expect(new Set(ids).size).toBe(3);
  expect([table.cancel(http), table.cancel(http), cancelled]).toEqual([true, false, ["http"]]);
  table.close();
  table.close();
  expect(cancelled).toEqual(["http", "grpc", "stream"]);
});

test("calls that have ended are not kept", () => {
  const { table, ids, cancelled, finish } = open();
  finish();
  expect(ids.map((id) => table.cancel(id))).toEqual([false, false, false]);
  expect(ids.map((id) => table.stream(id))).toEqual([undefined, undefined, undefined]);
  table.close();
  expect(cancelled).toEqual([]);
});

/** All that a filter can read in a callback: fields by their names, and buffers. */
function shown(root: PluginContext): string {
  const fields = Object.entries(MAP).flatMap(([name, kind]) => {
    const list = root.fields(kind);
    const known = [":status", "a", "t", "i", "j", "k", "l"].flatMap((key) => list?.get(key) ?? []);
    return list === undefined ? [] : [`${name} ${list.count} ${known.join(",")}`];
  });
  const buffers = Object.entries(BUFFER).flatMap(([name, kind]) => {
    const buffer = root.buffer(kind);
    return buffer === undefined ? [] : [`${name} ${Buffer.from(buffer.view(0, buffer.length)).toString()}`];
  });
  return [...fields, ...buffers].join("; ");
}

const CONFIG = "vmConfiguration all; pluginConfiguration own";

test.each([
  [0, "grpcInitialMetadata 1 3; grpcTrailingMetadata 1 4; grpcMessage reply", "receive 5"],
  [5, "grpcInitialMetadata 1 3; grpcTrailingMetadata 1 4", "close 5"],
])(
  "a callback sees the result of its call, of gRPC with the status %d, and none sees it later",
  (status, seen, told) => {
    const calls: [called: string, seen: string][] = [];
    const root = new PluginContext({ plugin: PLUGIN }, 1);
    const note =
      (name: string) =>
      (...[context, id, ...numbers]: number[]): number => {
        expect([context, typeof id]).toEqual([1, "number"]);
        calls.push([[name, ...numbers].join(" "), shown(root)]);
        return 0;
      };
    const { finish } = open(
      {
        httpCallResponse: note("response"),
        grpcInitialMetadata: note("initial"),
        grpcReceive: note("receive"),
        grpcTrailingMetadata: note("trailing"),
        grpcClose: note("close"),
      },
      root,
    );
    finish(status);
    expect(calls).toEqual([
      ["response 2 4 1", `callHeaders 2 200,1; callTrailers 1 2; callBody body; ${CONFIG}`],
      [told, `${seen}; ${CONFIG}`],
      ["initial 1", `grpcInitialMetadata 1 5; ${CONFIG}`],
      ["receive 7", `grpcMessage message; ${CONFIG}`],
      ["trailing 1", `grpcTrailingMetadata 1 6; ${CONFIG}`],
      ["close 7", CONFIG],
    ]);
    expect([shown(root), root.status]).toEqual([CONFIG, { code: 7, message: "end" }]);
  },
);
