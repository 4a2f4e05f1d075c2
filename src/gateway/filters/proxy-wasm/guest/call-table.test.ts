import { expect, test } from "bun:test";
import { type CallGroup, type GrpcListener, type GrpcOutcome, type HttpCallOutcome } from "../../calls/call.ts";
import { CallTable } from "./call-table.ts";
import { type Runner } from "./runner.ts";

/** A table whose filter has no callbacks, and a group of calls that a test ends. */
function open() {
  const runner = { root: { id: 1, call: {} }, callbacks: {} } as unknown as Runner; // Nothing else is used without callbacks.
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
  const finish = (): void => {
    ends.http?.({ kind: "response", fields: [], trailers: [], body: new Uint8Array() });
    ends.grpc?.({ status: 5, message: "", reply: undefined, initialMetadata: [], trailingMetadata: [] });
    listener?.closed(0, "");
  };
  return { table, ids, cancelled, finish };
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
