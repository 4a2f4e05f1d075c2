import { type ModuleFacts } from "./module/prepare.ts";
import { type OwnExport, type OwnImport } from "./module/own-signatures.ts";

/** The parts of an exchange that a module can read, by its imports. An unread body is not waited for. */
export interface OwnNeeds {
  readonly requestBytes: boolean;
  readonly requestLength: boolean;
  readonly responseBytes: boolean;
  readonly responseLength: boolean;
  readonly replacesResponse: boolean;
  readonly hasResponseHook: boolean;
}

/** Finds out what a filter for the Turnpike ABI uses, from the module's imports and exports. */
export function ownNeeds({ imports, exports }: ModuleFacts): OwnNeeds {
  const has = (name: OwnImport): boolean => imports.some((text) => text.startsWith(`env.${name} `));
  const hook: OwnExport = "on_response";
  return {
    requestBytes: has("read_body"),
    requestLength: has("body_len"),
    responseBytes: has("read_response_body"),
    responseLength: has("response_body_len"),
    replacesResponse: has("replace_response_body"),
    hasResponseHook: exports.some((text) => text.startsWith(`${hook} `)),
  };
}
