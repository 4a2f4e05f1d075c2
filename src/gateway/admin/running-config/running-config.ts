/** The changes of the running configuration, and the outcomes of all operations on it. */
import { type Diagnostic } from "../../config/diagnostic.ts";
import { type JsonRecord } from "../../../lib/is-object.ts";
import { type PatchOperation } from "../shapes/common.ts";

/** Selects a route. An undefined `host` or `name` matches any route; an empty one matches a route without it. */
export interface RouteSelection {
  readonly prefix: string;
  readonly host?: string | undefined;
  readonly name?: string | undefined;
}

export type Edit =
  | { readonly kind: "add-route"; readonly route: unknown }
  | ({ readonly kind: "patch-route"; readonly patch: unknown } & RouteSelection)
  | ({ readonly kind: "delete-route" } & RouteSelection)
  /** Adds an API key to the first list of keys of a route. */
  | ({ readonly kind: "add-key"; readonly key: JsonRecord } & RouteSelection)
  | ({ readonly kind: "drop-key"; readonly number: number; readonly owner: string } & RouteSelection)
  | { readonly kind: "add-upstream"; readonly upstream: unknown }
  | { readonly kind: "patch-upstream"; readonly name: string; readonly patch: unknown }
  | { readonly kind: "delete-upstream"; readonly name: string }
  /** `bytes` is the document as JSON. */
  | { readonly kind: "replace"; readonly bytes: Uint8Array };

export interface ChangeRules {
  /** Revisions without quotes, or `*`. */
  readonly ifMatch?: readonly string[] | undefined;
  /** Warnings are errors. */
  readonly strict?: boolean;
  /** Paths may lose guards, such as a price; a replacement may drop routes and the admin interface. */
  readonly force?: boolean;
}

/** An error or warning. `pointer` (RFC 6901) is its place in the sent value; undefined if it lies elsewhere. */
export interface EditDiagnostic extends Diagnostic {
  readonly pointer?: string;
}

/** The configuration was refused because of these errors. */
export interface Invalid {
  readonly kind: "invalid";
  readonly problems: readonly EditDiagnostic[];
  readonly warnings: readonly EditDiagnostic[];
}

/** The bytes are not a JSON document. */
export interface Unreadable {
  readonly kind: "unreadable";
  readonly reason: string;
}

/** Too many operations wait. */
export interface Busy {
  readonly kind: "busy";
}

export interface Failed {
  readonly kind: "failed";
  readonly reason: string;
}

export interface InUse {
  readonly kind: "done";
  readonly revision: string;
  readonly warnings: readonly EditDiagnostic[];
  /** Changed keys that take effect only after a restart. */
  readonly restart: readonly string[];
}

export type ChangeOutcome =
  | InUse
  | Invalid
  /** A guard, such as a price, a route or the admin interface would be lost. */
  | {
      readonly kind: "guarded";
      readonly losses: readonly EditDiagnostic[];
      readonly warnings: readonly EditDiagnostic[];
    }
  | Unreadable
  | { readonly kind: "absent" }
  | { readonly kind: "duplicate" }
  /** Hosts and names of the routes with this prefix; empty for a route without one. */
  | { readonly kind: "ambiguous"; readonly hosts: readonly string[]; readonly names: readonly string[] }
  /** The current revision is not in `ifMatch`. */
  | { readonly kind: "stale" }
  | Busy
  /** For example, a worker could not apply it. The old configuration is still served. */
  | Failed;

export type ReloadOutcome =
  /** `discarded`: the changes in memory that are lost, from the file to the previous running configuration. */
  (InUse & { readonly discarded: readonly PatchOperation[] }) | Invalid | { readonly kind: "no-file" } | Busy | Failed;

export type PersistOutcome =
  | { readonly kind: "done"; readonly path: string }
  /** Another program has changed the file since it was last read or written. */
  | { readonly kind: "changed-on-disk" }
  | { readonly kind: "no-file" }
  | { readonly kind: "stale" }
  | Busy
  /** The old file is unchanged. `code` is the error code of the system call, such as `ENOSPC`. */
  | (Failed & { readonly code: string | undefined });

export interface CheckOutcome {
  readonly kind: "checked";
  readonly ok: boolean;
  readonly problems: readonly EditDiagnostic[];
  readonly warnings: readonly EditDiagnostic[];
  /** From the running configuration to the checked one. */
  readonly difference: readonly PatchOperation[];
  /** Changed keys that take effect only after a restart. */
  readonly restart: readonly string[];
}
