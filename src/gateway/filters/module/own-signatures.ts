/** The functions of import module `env` that a filter for the Turnpike ABI can import. */
export const OWN_IMPORTS = {
  get_method: "() -> i32",
  get_path: "(i32, i32) -> i32",
  get_header: "(i32, i32, i32, i32) -> i32",
  header_count: "() -> i32",
  body_len: "() -> i32",
  read_body: "(i32, i32, i32) -> i32",
  set_response_header: "(i32, i32, i32, i32) -> ()",
  respond: "(i32, i32, i32) -> ()",
  log: "(i32, i32) -> ()",
  host_call: "(i32, i32) -> i32",
  read_call_result: "(i32, i32) -> i32",
  set_upstream: "(i32, i32) -> i32",
  get_response_status: "() -> i32",
  get_response_header: "(i32, i32, i32, i32) -> i32",
  response_body_len: "() -> i32",
  read_response_body: "(i32, i32, i32) -> i32",
  set_response_status: "(i32) -> ()",
  replace_response_body: "(i32, i32) -> i32",
} as const;

/** The name of a function in `OWN_IMPORTS`. */
export type OwnImport = keyof typeof OWN_IMPORTS;

/** The functions that a filter for the Turnpike ABI can export for the gateway. The first is required. */
export const OWN_EXPORTS = ["on_request", "on_resume", "on_response"] as const;
export type OwnExport = (typeof OWN_EXPORTS)[number];
