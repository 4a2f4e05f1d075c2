/** The running configuration: a JSON document that operators change, check, reload from its file and write to it. */
import { type Config } from "../../config/config.ts";
import { type Diagnostic } from "../../config/diagnostic.ts";
import { type Actor } from "../../telemetry/event.ts";

/** One change of the document. A `host` or `name` of undefined is any; an empty one is the route without. */
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
  | { readonly kind: "replace"; readonly document: unknown };

/** An operation of RFC 6902; `value` has its secrets replaced. */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/** A problem or warning. `pointer` (RFC 6901) says where it is in what was sent; undefined: it lies elsewhere. */
export interface EditDiagnostic extends Diagnostic {
  readonly pointer?: string;
}

/** What a configuration was refused for. */
export interface Invalid {
  readonly kind: "invalid";
  readonly problems: readonly EditDiagnostic[];
  readonly warnings: readonly EditDiagnostic[];
}

/** It could not be done; what was there before stays. */
export interface Failed {
  readonly kind: "failed";
  readonly reason: string;
}

/** What came of a change. */
export type ChangeOutcome =
  | {
      readonly kind: "done";
      readonly revision: string;
      readonly warnings: readonly EditDiagnostic[];
      /** Keys whose change takes effect at the next start only. */
      readonly restart: readonly string[];
    }
  | Invalid
  | { readonly kind: "absent" }
  | { readonly kind: "duplicate" }
  /** What names the upstream, as `routes[2].mirror`. */
  | { readonly kind: "referenced"; readonly by: readonly string[] }
  /** Hosts and names of the routes with this prefix; the empty ones have none. */
  | { readonly kind: "ambiguous"; readonly hosts: readonly string[]; readonly names: readonly string[] }
  /** None of the revisions in `ifMatch` is the current one. */
  | { readonly kind: "stale" }
  /** Too many changes wait. */
  | { readonly kind: "busy" }
  /** A worker could not take it, say. The old configuration serves. */
  | Failed;

/** What came of a reload of the file. */
export type ReloadOutcome =
  | {
      readonly kind: "done";
      readonly revision: string;
      readonly warnings: readonly EditDiagnostic[];
      readonly restart: readonly string[];
      /** From the file to what ran before: the changes in memory that are lost. */
      readonly discarded: readonly JsonPatchOperation[];
    }
  | Invalid
  | { readonly kind: "no-file" }
  | { readonly kind: "busy" }
  | Failed;

/** What came of writing the configuration to its file. */
export type PersistOutcome =
  | { readonly kind: "done"; readonly path: string }
  /** The file is not as it was last read or written here. */
  | { readonly kind: "changed-on-disk" }
  | { readonly kind: "no-file" }
  | { readonly kind: "stale" }
  | { readonly kind: "busy" }
  /** The old file is whole. `code` is that of the system call, such as `ENOSPC`. */
  | (Failed & { readonly code: string | undefined });

/** What a configuration would do. */
export interface CheckOutcome {
  readonly ok: boolean;
  readonly problems: readonly EditDiagnostic[];
  readonly warnings: readonly EditDiagnostic[];
  /** From the running configuration to the checked one. */
  readonly difference: readonly JsonPatchOperation[];
  /** Keys whose change takes effect at the next start only. */
  readonly restart: readonly string[];
}

/** How the last reload of the file went. */
export interface LastReload {
  readonly time_ms: number;
  readonly by: Actor;
  readonly ok: boolean;
  readonly detail: string;
  readonly discarded: readonly JsonPatchOperation[];
}

/** The configuration that is served, and its file. Changes, reloads and writes are done one after another. */
export interface RunningConfig {
  /** Opaque; changes with every change. */
  readonly revision: string;
  /** What is served: defaults filled in, flags applied. It has secrets. */
  readonly config: Config;
  /** The document, with secrets replaced. */
  document(): unknown;
  /** What is served, with secrets replaced. */
  effective(): unknown;
  /** Serves by the changed document, or leaves everything as it was. `ifMatch`: revisions without quotes, or `*`. */
  change(edit: Edit, by: Actor, ifMatch?: readonly string[]): Promise<ChangeOutcome>;
  /** What serving by `value` would do. */
  check(value: unknown): CheckOutcome;
  /** Serves by the file as it is now. */
  reload(by: Actor): Promise<ReloadOutcome>;
  /** Writes the document to the file; `force`: also over what somebody else has written. */
  persist(by: Actor, options: { readonly force: boolean }, ifMatch?: readonly string[]): Promise<PersistOutcome>;
  /** From the file, as last read or written, to the document. */
  difference(): readonly JsonPatchOperation[];
  /** `path` is null where there is no file; `writesTo` is where the document is written. */
  readonly file: {
    readonly path: string | null;
    readonly writesTo: string | null;
    readonly changedInMemory: boolean;
    readonly changedOnDisk: boolean;
  };
  readonly lastReload: LastReload | null;
}
