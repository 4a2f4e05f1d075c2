/** A tenant's virtual machine, or what stands for one: it serves HTTP on a Unix socket. */
export interface Machine {
  readonly tenant: string;
  /** Its socket. */
  readonly path: string;
  /** Ends it as a crash does, and waits until it is gone. */
  kill(): Promise<void>;
}

/** How machines are made. */
export interface MachineKind {
  readonly name: string;
  /** Why there can be none of it here; undefined: there can. */
  readonly missing: string | undefined;
  /** Starts a machine that serves on `path`, and waits until it does. */
  start(tenant: string, path: string): Promise<Machine>;
}
