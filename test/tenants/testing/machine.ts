/** A tenant's virtual machine, or a replacement: it serves HTTP on a Unix socket. */
export interface Machine {
  readonly tenant: string;
  /** Its socket. */
  readonly path: string;
  /** Ends it without a warning, like a crash, and waits for its end. */
  kill(): Promise<void>;
}

/** A kind of machine. */
export interface MachineKind {
  readonly name: string;
  /** The reason why this kind cannot run here; undefined if it can. */
  readonly missing: string | undefined;
  /** Starts a machine that serves on `path`, and waits until it is ready. */
  start(tenant: string, path: string): Promise<Machine>;
}
