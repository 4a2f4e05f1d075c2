import { type Fields, firstFieldValue } from "../../../lib/http/fields.ts";
import { type HostState } from "./host-state.ts";
import { type OwnImport } from "../module/own-signatures.ts";
import { MAX_STAGED_BYTES } from "./staged-fields.ts";
import { BODY_VIEW_BYTES, NO_BODY } from "./views.ts";

/** Bytes of the body of `respond`; the rest is cut off. */
const MAX_REPLY_BYTES = 4096;
/** Bytes of the command of `host_call`. */
const MAX_CALL_BYTES = 4096;
/** Bytes of a call's result that a filter can read. */
export const MAX_RESULT_BYTES = 16_384;
/** Bytes of the name in `set_upstream`. */
const MAX_UPSTREAM_BYTES = 256;
/** Bytes of a line of `log`; the rest is cut off. */
const MAX_LOG_BYTES = 1024;
/** Lines of `log` in one invocation; further lines are dropped. */
const MAX_LOG_LINES = 16;
/** Bytes of a field name that a filter looks up. No field has a longer name. */
const MAX_NAME_BYTES = 65_536;

const METHODS: readonly string[] = "GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH QUERY".split(" ");
const OTHER_METHOD = 255;
const MIN_STATUS = 200;
const MAX_STATUS = 599;

/** Receives the text that a filter logs, `MAX_LOG_BYTES` bytes at most. */
export type Log = (line: string) => void;
/** The implementation of each import for the Turnpike ABI. i32 parameters are signed numbers. */
export type HostFunctions = Readonly<Record<OwnImport, (...parameters: number[]) => number | undefined>>;

/** The functions that a filter for the Turnpike ABI imports. */
export function hostFunctions(state: HostState, log: Log): HostFunctions {
  return { ...requestFunctions(state), ...replyFunctions(state, log), ...responseFunctions(state) };
}

type Some<Name extends OwnImport> = Pick<HostFunctions, Name>;

function requestFunctions(
  state: HostState,
): Some<"get_method" | "get_path" | "get_header" | "header_count" | "body_len" | "read_body"> {
  const fields = () => state.request?.fields ?? "";
  return {
    get_method() {
      state.enter();
      const code = METHODS.indexOf(state.request?.method ?? "");
      return state.done(code === -1 ? OTHER_METHOD : code);
    },
    get_path(out: number, capacity: number) {
      return writeText(state, state.request?.path ?? "", out, capacity);
    },
    get_header(name: number, length: number, out: number, capacity: number) {
      return writeField(state, fields(), [name, length, out, capacity]);
    },
    header_count() {
      state.enter(fields().length);
      return state.done(lineCount(fields()));
    },
    body_len() {
      state.enter();
      return state.done(state.request?.bodyLength ?? 0);
    },
    read_body(offset: number, out: number, capacity: number) {
      return readBytes(state, state.request?.body ?? NO_BODY, [offset, out, capacity]);
    },
  };
}

function replyFunctions(
  state: HostState,
  log: Log,
): Some<"set_response_header" | "respond" | "log" | "host_call" | "read_call_result" | "set_upstream"> {
  return {
    set_response_header(name: number, nameLength: number, value: number, valueLength: number) {
      const bytes = (nameLength >>> 0) + (valueLength >>> 0);
      const memory = state.enter(Math.min(bytes, MAX_STAGED_BYTES));
      memory.check(name, nameLength);
      memory.check(value, valueLength);
      if (bytes <= MAX_STAGED_BYTES) {
        state.fields.set(memory.text(name, nameLength), memory.text(value, valueLength));
      }
      return state.done(undefined);
    },
    respond(status: number, pointer: number, length: number) {
      const size = Math.min(length >>> 0, MAX_REPLY_BYTES);
      const memory = state.enter(size);
      if (!isStatus(status)) throw state.abort(`responds with status ${status}`);
      memory.check(pointer, length);
      state.reply = { status, body: memory.copy(pointer, size) };
      return state.done(undefined);
    },
    log(pointer: number, length: number) {
      const size = Math.min(length >>> 0, MAX_LOG_BYTES);
      const memory = state.enter(size);
      memory.check(pointer, length);
      if (state.logLines < MAX_LOG_LINES) {
        state.logLines++;
        log(new TextDecoder().decode(memory.copy(pointer, size)));
      }
      return state.done(undefined);
    },
    host_call(pointer: number, length: number) {
      const memory = state.enter(Math.min(length >>> 0, MAX_CALL_BYTES));
      memory.check(pointer, length);
      if (length >>> 0 > MAX_CALL_BYTES) return state.done(-1);
      state.command = memory.copy(pointer, length);
      return state.done(0);
    },
    read_call_result(out: number, capacity: number) {
      return readBytes(state, state.callResult, [0, out, capacity]);
    },
    set_upstream(pointer: number, length: number) {
      const memory = state.enter(Math.min(length >>> 0, MAX_UPSTREAM_BYTES));
      memory.check(pointer, length);
      if (length === 0 || length >>> 0 > MAX_UPSTREAM_BYTES) return state.done(-1);
      const name = memory.text(pointer, length);
      if (name.includes("\0")) return state.done(-1);
      state.upstream = name;
      return state.done(0);
    },
  };
}

function responseFunctions(
  state: HostState,
): Some<
  | "get_response_status"
  | "get_response_header"
  | "response_body_len"
  | "read_response_body"
  | "set_response_status"
  | "replace_response_body"
> {
  return {
    get_response_status() {
      state.enter();
      return state.done(state.response?.status ?? 0);
    },
    get_response_header(name: number, length: number, out: number, capacity: number) {
      return writeField(state, state.response?.fields ?? "", [name, length, out, capacity]);
    },
    response_body_len() {
      state.enter();
      return state.done(state.response?.bodyLength ?? 0);
    },
    read_response_body(offset: number, out: number, capacity: number) {
      return readBytes(state, state.response?.body ?? NO_BODY, [offset, out, capacity]);
    },
    set_response_status(status: number) {
      state.enter();
      if (!isStatus(status)) throw state.abort(`sets the status ${status}`);
      state.newStatus = status;
      return state.done(undefined);
    },
    replace_response_body(pointer: number, length: number) {
      const memory = state.enter(Math.min(length >>> 0, BODY_VIEW_BYTES));
      memory.check(pointer, length);
      if (length >>> 0 > BODY_VIEW_BYTES) return state.done(-1);
      state.newBody = memory.copy(pointer, length);
      return state.done(0);
    },
  };
}

function isStatus(status: number): boolean {
  return status >= MIN_STATUS && status <= MAX_STATUS;
}

type Four = readonly [name: number, length: number, out: number, capacity: number];

/** Writes the first value of a field. Returns its full length; 0 if the field is absent or empty. */
function writeField(state: HostState, fields: Fields, [name, length, out, capacity]: Four): number {
  const memory = state.enter(Math.min(length >>> 0, MAX_NAME_BYTES) + fields.length);
  memory.check(out, capacity);
  memory.check(name, length);
  if (length >>> 0 > MAX_NAME_BYTES) return state.done(0);
  const value = firstFieldValue(fields, memory.text(name, length).toLowerCase()) ?? "";
  memory.writeText(value, out, capacity);
  return state.done(value.length);
}

function writeText(state: HostState, text: string, out: number, capacity: number): number {
  state.enter(text.length).writeText(text, out, capacity);
  return state.done(text.length);
}

/** Writes bytes from `offset` on. Returns the number of bytes written. */
function readBytes(
  state: HostState,
  bytes: Uint8Array,
  [offset, out, capacity]: readonly [number, number, number],
): number {
  const rest = bytes.subarray(offset >>> 0);
  const memory = state.enter(Math.min(rest.length, capacity >>> 0));
  return state.done(memory.writeBytes(rest, out, capacity));
}

function lineCount(fields: Fields): number {
  let count = 0;
  for (let at = fields.indexOf("\n"); at !== -1; at = fields.indexOf("\n", at + 1)) count++;
  return count;
}
