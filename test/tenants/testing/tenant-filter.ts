import { assemble, I32, op, u32 } from "../../../src/gateway/filters/module/testing/assembler.ts";
import { OWN_IMPORTS, type OwnImport } from "../../../src/gateway/filters/module/own-signatures.ts";

const ALWAYS: readonly OwnImport[] = [
  "get_header",
  "host_call",
  "read_call_result",
  "set_upstream",
  "set_response_header",
];
const COMMAND = 64;
/** Adds the field `x-seen: yes` to the responses that it has seen. */
const SEEN = 256;
const RESULT = 1024;
const START = "start ";
const PARKED = 3;
const REJECT = 1;
const ALLOW = 0;
const SEPARATOR_EXIT_LF = 3;
const load8 = (offset: number): number[] => [0x2d, 0x00, ...u32(offset)];
const NOT_EQUAL = 0x47;

/**
 * A filter that starts the tenant in the request's header field of that name, and sends the request to the socket from
 * the manager's reply. It allows requests without the field, and adds `x-seen: yes` to responses. `looksAtBodies`: it
 * first waits for the request's body.
 */
export function tenantFilter(header: string, looksAtBodies = false): Uint8Array {
  const imports: readonly OwnImport[] = looksAtBodies ? [...ALWAYS, "body_len", "read_body"] : ALWAYS;
  const types = imports.map((name) => {
    const [parameters = "", result = ""] = OWN_IMPORTS[name].split(" -> ");
    return [parameters.match(/i32/g)?.map(() => I32) ?? [], result === "i32" ? [I32] : []] as const;
  });
  const type = imports.length;
  const locals = [[1, I32]] as const;
  const toHeader = [0, header.length, COMMAND + START.length, 64].flatMap((value) => op.i32(value));
  const park = [...op.i32(COMMAND), ...op.get(0), ...op.i32(START.length), ...op.i32Add, ...op.call(1), ...op.drop];
  const onRequest = [
    [...toHeader, ...op.call(0), ...op.tee(0)],
    [...op.if, ...park, ...op.i32(PARKED), ...op.return, ...op.end],
    op.i32(ALLOW),
  ].flat();
  const onResume = [
    [...op.i32(RESULT), ...op.i32(4096), ...op.call(2), ...op.i32(SEPARATOR_EXIT_LF), ...op.i32Sub, ...op.set(0)],
    [...op.get(0), ...load8(RESULT + 1), ...op.i32("0".charCodeAt(0)), NOT_EQUAL],
    [...op.if, ...op.i32(REJECT), ...op.return, ...op.end],
    [...op.i32(RESULT), ...op.get(0), ...op.call(3), ...op.drop],
    op.i32(ALLOW),
  ].flat();
  const onResponse = [[SEEN, 6, SEEN + 6, 3].flatMap((value) => op.i32(value)), op.call(4), op.i32(0)].flat();
  return assemble({
    types: [...types, [[], [I32]]],
    imports: imports.map((name, i) => ["env", name, i] as const),
    memory: 1,
    functions: [
      { export: "on_request", type, locals, code: onRequest },
      { export: "on_resume", type, locals, code: onResume },
      { export: "on_response", type, code: onResponse },
    ],
    data: [data(0, header), data(COMMAND, START), data(SEEN, "x-seenyes")],
  });
}

function data(at: number, text: string): number[] {
  return [0, ...op.i32(at), ...op.end, ...u32(text.length), ...Buffer.from(text)];
}
