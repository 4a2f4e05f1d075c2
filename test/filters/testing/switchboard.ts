/** A filter for the Turnpike ABI whose actions are chosen by the request. */
export const SWITCHBOARD = `
@external("env", "get_header") declare function get_header(name: usize, length: i32, out: usize, capacity: i32): i32;
@external("env", "get_path") declare function get_path(out: usize, capacity: i32): i32;
@external("env", "header_count") declare function header_count(): i32;
@external("env", "respond") declare function respond(status: i32, body: usize, length: i32): void;
@external("env", "set_response_header") declare function set_response_header(n: usize, nl: i32, v: usize, vl: i32): void;
@external("env", "host_call") declare function host_call(command: usize, length: i32): i32;
@external("env", "log") declare function log(text: usize, length: i32): void;
@external("env", "read_response_body") declare function read_response_body(offset: i32, out: usize, capacity: i32): i32;
@external("env", "replace_response_body") declare function replace_response_body(body: usize, length: i32): i32;
@external("env", "get_response_status") declare function get_response_status(): i32;

const DO = memory.data<u8>([0x78, 0x2d, 0x64, 0x6f]); // x-do
const SEE = memory.data<u8>([0x78, 0x2d, 0x73, 0x65, 0x65]); // x-see
const RAN = memory.data<u8>([0x78, 0x2d, 0x72, 0x61, 0x6e]); // x-ran
const NAME = memory.data(64);
const OUT = memory.data(4096);
const BODY = memory.data(65536);
let mode: i32 = 0;

/**
 * Responds with the value of the field that x-see names, or with the path if x-see is empty; with 204 if the field is
 * absent.
 */
function see(): i32 {
  const name = get_header(SEE, 5, NAME, 64);
  const length = name == 0 ? get_path(OUT, 4096) : get_header(NAME, name, OUT, 4096);
  respond(length == 0 ? 204 : 200, OUT, length);
  return 1;
}

export function on_request(): i32 {
  mode = get_header(DO, 4, OUT, 1) > 0 ? load<u8>(OUT) : 0;
  if (mode == 0x72) { respond(401, DO, 4); return 1; } // r: reject
  if (mode == 0x6d) { set_response_header(RAN, 5, DO, 4); return 2; } // m: modify
  if (mode == 0x73) return see(); // s: see
  if (mode == 0x63) { store<u32>(OUT, header_count()); respond(200, OUT, 1); return 1; } // c: count of fields
  if (mode == 0x74) unreachable(); // t: trap
  if (mode == 0x6c) for (;;) {} // l: loop
  if (mode == 0x6f) { for (let i = 0; i < 1000000; i++) log(DO, 4); return 0; } // o: says too much
  if (mode == 0x70) { host_call(DO, 4); return 3; } // p: park
  if (mode == 0x75) return 77; // u: unknown code
  return 0;
}

export function on_resume(): i32 {
  return 0;
}

export function on_response(): i32 {
  if (mode == 0x65) { // e: an exclamation mark behind the body
    const length = read_response_body(0, BODY, 65000);
    store<u8>(BODY + length, 0x21);
    replace_response_body(BODY, length + 1);
    return 0;
  }
  if (mode == 0x68) { set_response_header(RAN, 5, DO, 4); return 0; } // h: a header of the response
  if (mode == 0x54) unreachable(); // T: trap in the response
  if (mode == 0x4c) for (;;) {} // L: loop in the response
  return 1;
}`;
