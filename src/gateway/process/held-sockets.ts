import { dlopen, FFIType } from "bun:ffi";
import { closeSync } from "node:fs";
import { fromCLibrary } from "../../lib/c-library.ts";
import { udpDescriptors } from "../http3/udp-sockets.ts";

/** Numbers of Linux's system calls, the same on every architecture. */
const PIDFD_OPEN = 434;
const PIDFD_GETFD = 438;

/** Milliseconds that the place of a dead worker is kept for another; clients that the kernel deals there wait meanwhile. */
const KEEP_MS = 3000;

type SystemCall = (call: number, first: number, second: number, third: number) => number;

/**
 * Keeps the places of workers among the UDP sockets of a port. The kernel deals datagrams by a client's address over the sockets
 * in the order in which they were bound, and moves the last to the place of one that is gone: when a worker died and another
 * was started, clients of a third would come to the wrong one. So the supervisor has each worker's socket open as well
 * (pidfd_getfd(2)), and lets go of it when the next one has bound, which is then the last. Where the system does not
 * allow that, as in some containers, nothing is kept, and `log` hears of it once. Decision 0241.
 */
export class HeldSockets {
  readonly #log: (text: string) => void;
  readonly #call = loadSystemCall();
  #hasFailed = false;
  readonly #held = new Map<number, readonly number[]>();
  /** Those of workers that died, in the order in which they did. */
  readonly #kept: { readonly sockets: readonly number[]; readonly timer: NodeJS.Timeout }[] = [];

  constructor(log: (text: string) => void) {
    this.#log = log;
  }

  /** The worker serves by these UDP ports. */
  hold(pid: number, ports: ReadonlySet<number>): void {
    this.#let(this.#held.get(pid) ?? []);
    this.#held.delete(pid);
    if (ports.size === 0 || this.#call === undefined) return;
    const process = this.#call(PIDFD_OPEN, pid, 0, 0);
    if (process < 0) return;
    try {
      const copies = udpDescriptors(pid, ports).map((fd) => this.#call?.(PIDFD_GETFD, process, fd, 0) ?? -1);
      const taken = copies.filter((fd) => fd >= 0);
      this.#held.set(pid, taken);
      if (taken.length < copies.length) this.#fail();
    } catch {
      // It ended meanwhile.
    } finally {
      closeSync(process);
    }
  }

  /** The worker has died: its place is kept, for a while. */
  died(pid: number): void {
    const sockets = this.#held.get(pid);
    this.#held.delete(pid);
    if (sockets === undefined || sockets.length === 0) return;
    this.#kept.push({ sockets, timer: setTimeout(() => this.replaced(), KEEP_MS).unref() });
  }

  /** Another has bound in the place of the one that died first. */
  replaced(): void {
    const first = this.#kept.shift();
    if (first === undefined) return;
    clearTimeout(first.timer);
    this.#let(first.sockets);
  }

  /** Workers may let go of their ports: they must not stay bound here. */
  release(): void {
    for (const sockets of this.#held.values()) this.#let(sockets);
    this.#held.clear();
    while (this.#kept.length > 0) this.replaced();
  }

  #fail(): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#log("HTTP/3: the system does not let sockets be kept: when a worker dies, clients of others may be cut off");
  }

  #let(sockets: readonly number[]): void {
    for (const fd of sockets) closeSync(fd);
  }
}

function loadSystemCall(): SystemCall | undefined {
  const { i32, i64_fast: long } = FFIType;
  return fromCLibrary((name): SystemCall => {
    const { syscall } = dlopen(name, { syscall: { args: [long, i32, i32, i32], returns: long } }).symbols;
    return (call, first, second, third) => Number(syscall(call, first, second, third));
  });
}
