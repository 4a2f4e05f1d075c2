import { FFIType } from "bun:ffi";
import { closeSync } from "node:fs";
import { cFunctions } from "../../../lib/process/c-library.ts";
import { udpDescriptors } from "../../http3/udp-sockets.ts";

/** Numbers of Linux system calls, the same on every architecture. */
const PIDFD_OPEN = 434;
const PIDFD_GETFD = 438;

/** Milliseconds that a dead worker's socket is kept for the next one; clients that it gets wait until then. */
const KEEP_MS = 3000;

const libc = cFunctions({ syscall: { args: [FFIType.i64_fast, "i32", "i32", "i32"], returns: FFIType.i64_fast } });

/**
 * Keeps the order of the workers' UDP sockets on a port. The kernel distributes datagrams over these sockets by the
 * client's address and the order of binding. If a socket closes, the kernel moves the last socket into its place. If a
 * worker died and was replaced, clients of a third worker would then reach the wrong one. So the supervisor has each
 * worker's socket open too (pidfd_getfd(2)). It closes its copy when the next worker has bound: that worker's socket is
 * the last one then. If the system does not allow that, as in some containers, no sockets are kept, and `log` gets one
 * message.
 */
export class HeldSockets {
  readonly #log: (text: string) => void;
  #hasFailed = false;
  readonly #held = new Map<number, readonly number[]>();
  /** The sockets of dead workers, in the order of their deaths. */
  readonly #kept: { readonly sockets: readonly number[]; readonly timer: NodeJS.Timeout }[] = [];

  constructor(log: (text: string) => void) {
    this.#log = log;
  }

  /** The worker serves on these UDP ports. */
  hold(pid: number, ports: ReadonlySet<number>): void {
    this.#let(this.#held.get(pid) ?? []);
    this.#held.delete(pid);
    const process = ports.size === 0 ? -1 : systemCall(PIDFD_OPEN, pid, 0);
    if (process < 0) return;
    try {
      const copies = udpDescriptors(pid, ports).map((fd) => systemCall(PIDFD_GETFD, process, fd));
      const taken = copies.filter((fd) => fd >= 0);
      this.#held.set(pid, taken);
      if (taken.length < copies.length) this.#fail();
    } catch {
      // The worker ended meanwhile.
    } finally {
      closeSync(process);
    }
  }

  /**
   * The worker has other sockets on these ports. A copy of a closed socket would stay bound, and clients that the
   * kernel assigns to the copy would get no response. Has no effect after `release`, until the next `hold`.
   */
  changed(pid: number, ports: ReadonlySet<number>): void {
    if (this.#held.has(pid)) this.hold(pid, ports);
  }

  /** The worker has died: keeps its sockets for `KEEP_MS`. */
  died(pid: number): void {
    const sockets = this.#held.get(pid);
    this.#held.delete(pid);
    if (sockets === undefined || sockets.length === 0) return;
    this.#kept.push({ sockets, timer: setTimeout(() => this.replaced(), KEEP_MS).unref() });
  }

  /** Another worker has bound in place of the one that died first. */
  replaced(): void {
    const first = this.#kept.shift();
    if (first === undefined) return;
    clearTimeout(first.timer);
    this.#let(first.sockets);
  }

  /** Closes all copies, because a port that the workers give up must not stay bound here. */
  release(): void {
    for (const sockets of this.#held.values()) this.#let(sockets);
    this.#held.clear();
    while (this.#kept.length > 0) this.replaced();
  }

  #fail(): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#log(
      "HTTP/3: this system does not allow sockets to be kept: when a worker ends, clients of other workers may lose their connections",
    );
  }

  #let(sockets: readonly number[]): void {
    for (const fd of sockets) closeSync(fd);
  }
}

/** Below 0: the system refuses it. */
function systemCall(call: number, first: number, second: number): number {
  return Number(libc()?.syscall(call, first, second, 0) ?? -1);
}
