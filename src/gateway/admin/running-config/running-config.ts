/**
 * The running configuration: a JSON document that operators change, check, reload from its file and write to the file.
 */
import { type Config } from "../../config/config.ts";
import { type Diagnostic } from "../../config/diagnostic.ts";
import { type Actor } from "../../telemetry/event.ts";

/**
 * One change of the document. An undefined `host` or `name` matches any route; an empty one matches a route without it.
 */
export type Edit =
  | { readonly kind: "add-route"; readonly route: unknown }
  | {
      readonly kind: "patch-route";
      readonly prefix: string;
      readonly host: string | undefined;
      readonly name?: string | undefined;
      readonly patch: unknown;
    }
  | {
      readonly kind: "delete-route";
      readonly prefix: string;
      readonly host: string | undefined;
      readonly name?: string | undefined;
    }
  | { readonly kind: "add-upstream"; readonly upstream: unknown }
  | { readonly kind: "patch-upstream"; readonly name: string; readonly patch: unknown }
  | { readonly kind: "delete-upstream"; readonly name: string }
  /** `bytes` is the document as JSON. */
  | { readonly kind: "replace"; readonly bytes: Uint8Array };

/** The conditions of a change. */
export interface ChangeRules {
  /** Revisions without quotes, or `*`. */
  readonly ifMatch?: readonly string[] | undefined;
  /** Warnings are errors. */
  readonly strict?: boolean;
  /** Paths may lose guards, such as a price. */
  readonly force?: boolean;
}

/** An operation of RFC 6902. Secrets in `value` are replaced. */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/**
 * An error or warning. `pointer` (RFC 6901) is its place in the value that the client sent; undefined if it lies
 * elsewhere.
 */
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

/** The operation failed and changed nothing. */
export interface Failed {
  readonly kind: "failed";
  readonly reason: string;
}

/** The outcome of a change. */
export type ChangeOutcome =
  | {
      readonly kind: "done";
      readonly revision: string;
      readonly warnings: readonly EditDiagnostic[];
      /** Changed keys that take effect only after a restart. */
      readonly restart: readonly string[];
    }
  | Invalid
  /** Paths would lose a guard, such as a price. */
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
  /** Too many changes wait. */
  | { readonly kind: "busy" }
  /** For example, a worker could not apply it. The old configuration is still served. */
  | Failed;

/** The outcome of a reload of the file. */
export type ReloadOutcome =
  | {
      readonly kind: "done";
      readonly revision: string;
      readonly warnings: readonly EditDiagnostic[];
      readonly restart: readonly string[];
      /** The changes in memory that are lost: from the file to the previous running configuration. */
      readonly discarded: readonly JsonPatchOperation[];
    }
  | Invalid
  | { readonly kind: "no-file" }
  | { readonly kind: "busy" }
  | Failed;

/** The outcome of writing the configuration to its file. */
export type PersistOutcome =
  | { readonly kind: "done"; readonly path: string }
  /** Another program has changed the file since it was last read or written. */
  | { readonly kind: "changed-on-disk" }
  | { readonly kind: "no-file" }
  | { readonly kind: "stale" }
  | { readonly kind: "busy" }
  /** The old file is unchanged. `code` is the error code of the system call, such as `ENOSPC`. */
  | (Failed & { readonly code: string | undefined });

/** The effect that a configuration would have. */
export interface CheckOutcome {
  readonly kind: "checked";
  readonly ok: boolean;
  readonly problems: readonly EditDiagnostic[];
  readonly warnings: readonly EditDiagnostic[];
  /** From the running configuration to the checked one. */
  readonly difference: readonly JsonPatchOperation[];
  /** Changed keys that take effect only after a restart. */
  readonly restart: readonly string[];
}

/** The outcome of the last reload of the file. */
export interface LastReload {
  readonly time_ms: number;
  readonly by: Actor;
  readonly ok: boolean;
  readonly detail: string;
  readonly discarded: readonly JsonPatchOperation[];
}

/** The served configuration and its file. Changes, reloads and writes run one after another. */
export interface RunningConfig {
  /** Opaque; each change of the configuration changes it. */
  readonly revision: string;
  /** The served configuration, with defaults and flags. It contains secrets. */
  readonly config: Config;
  /** The document, with secrets replaced. */
  document(): Promise<unknown>;
  /** Serves with the changed document, or changes nothing. */
  change(edit: Edit, by: Actor, rules?: ChangeRules): Promise<ChangeOutcome>;
  /** The effect of serving with a document, as JSON. */
  check(bytes: Uint8Array, by: Actor): Promise<CheckOutcome | Unreadable | Busy>;
  /** Serves with the current content of the file. `strict`: not if it has warnings. */
  reload(by: Actor, rules?: Pick<ChangeRules, "strict">): Promise<ReloadOutcome>;
  /** Writes the document to the file. `force`: even if another program has changed the file. */
  persist(by: Actor, options: { readonly force: boolean }, ifMatch?: readonly string[]): Promise<PersistOutcome>;
  /** The operations from the file, as last read or written, to the document. */
  difference(): Promise<readonly JsonPatchOperation[]>;
  /** `path` is null if there is no file. `writesTo` is the file that the document is written to. */
  readonly file: {
    readonly path: string | null;
    readonly writesTo: string | null;
    readonly changedInMemory: boolean;
    readonly changedOnDisk: boolean;
  };
  readonly lastReload: LastReload | null;
}
