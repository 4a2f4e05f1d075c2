// The imports of a filter for the Turnpike ABI, and functions for them in AssemblyScript. Copy this file to the folder of
// your filter: the compiler uses its name, `env`, as the name of the module with the functions.

export const ALLOW = 0;
export const REJECT = 1;
export const MODIFY = 2;
export const PARKED = 3;

export declare function get_method(): i32;
export declare function get_path(out: usize, capacity: i32): i32;
export declare function get_header(name: usize, length: i32, out: usize, capacity: i32): i32;
export declare function header_count(): i32;
export declare function body_len(): i32;
export declare function read_body(offset: i32, out: usize, capacity: i32): i32;
export declare function set_response_header(name: usize, length: i32, value: usize, valueLength: i32): void;
export declare function respond(status: i32, body: usize, length: i32): void;
export declare function log(text: usize, length: i32): void;
export declare function host_call(command: usize, length: i32): i32;
export declare function read_call_result(out: usize, capacity: i32): i32;
export declare function set_upstream(name: usize, length: i32): i32;
export declare function get_response_status(): i32;
export declare function get_response_header(name: usize, length: i32, out: usize, capacity: i32): i32;
export declare function response_body_len(): i32;
export declare function read_response_body(offset: i32, out: usize, capacity: i32): i32;
export declare function set_response_status(status: i32): void;
export declare function replace_response_body(body: usize, length: i32): i32;

/** Bytes of a body or of a result that the gateway provides at most. */
const CAPACITY = 65536;
const OUT = memory.data(CAPACITY);

/**
 * The text that a function has written. `length` is its true length; the buffer holds at most `CAPACITY` bytes of it.
 */
function written(length: i32): string {
  return String.UTF8.decodeUnsafe(OUT, min(length, CAPACITY));
}

/** The path with its query. */
export function path(): string {
  return written(get_path(OUT, CAPACITY));
}

/** The first value of a field of the request; empty if it is absent. */
export function header(name: string): string {
  const text = String.UTF8.encode(name);
  return written(get_header(changetype<usize>(text), text.byteLength, OUT, CAPACITY));
}

/** The first 64 KiB of the body. */
export function body(): string {
  return written(read_body(0, OUT, CAPACITY));
}

export function setHeader(name: string, value: string): void {
  const text = String.UTF8.encode(name);
  const content = String.UTF8.encode(value);
  set_response_header(changetype<usize>(text), text.byteLength, changetype<usize>(content), content.byteLength);
}

/** The response of a filter that returns REJECT. */
export function reply(status: i32, content: string): void {
  const text = String.UTF8.encode(content);
  respond(status, changetype<usize>(text), text.byteLength);
}

export function debug(line: string): void {
  const text = String.UTF8.encode(line);
  log(changetype<usize>(text), text.byteLength);
}

/** Sets the command for which the filter parks the request. False: it is too long. */
export function call(command: string): bool {
  const text = String.UTF8.encode(command);
  return host_call(changetype<usize>(text), text.byteLength) == 0;
}

/** The output of the command. */
export function output(): string {
  const result = written(read_call_result(OUT, CAPACITY));
  return result.substring(0, result.lastIndexOf("\x1e"));
}

/** The exit code of the command, which follows the last byte 0x1e of the output. */
export function exitCode(): i32 {
  const result = written(read_call_result(OUT, CAPACITY));
  return I32.parseInt(result.substring(result.lastIndexOf("\x1e") + 1));
}

/** Sets the Unix socket that gets the request after the park. */
export function goTo(socket: string): bool {
  const text = String.UTF8.encode(socket);
  return set_upstream(changetype<usize>(text), text.byteLength) == 0;
}

/** The first value of a field of the response; empty if it is absent. */
export function responseHeader(name: string): string {
  const text = String.UTF8.encode(name);
  return written(get_response_header(changetype<usize>(text), text.byteLength, OUT, CAPACITY));
}

/** The first 64 KiB of the response's body. */
export function responseBody(): string {
  return written(read_response_body(0, OUT, CAPACITY));
}

/** Replaces the body of the response. False: the new body has more than 64 KiB. */
export function replaceBody(content: string): bool {
  const text = String.UTF8.encode(content);
  return replace_response_body(changetype<usize>(text), text.byteLength) == 0;
}
