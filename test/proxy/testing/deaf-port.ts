import { dlopen, FFIType, ptr } from "bun:ffi";
import { connect, type Socket } from "node:net";

const { i32, u32, ptr: pointer } = FFIType;
const { symbols } = dlopen("libc.so.6", {
  socket: { args: [i32, i32, i32], returns: i32 },
  bind: { args: [i32, pointer, u32], returns: i32 },
  listen: { args: [i32, i32], returns: i32 },
  getsockname: { args: [i32, pointer, pointer], returns: i32 },
  close: { args: [i32], returns: i32 },
});
const AF_INET = 2;
const SOCK_STREAM = 1;
const ADDRESS_BYTES = 16;
/** More connections than an empty backlog admits. */
const FILLERS = 3;

/** A loopback port with a full queue of connections: the kernel ignores further attempts to connect. */
export class DeafPort {
  readonly port: number;
  readonly #descriptor: number;
  #fillers: Socket[] = [];

  constructor() {
    const address = new Uint8Array(ADDRESS_BYTES);
    address.set([AF_INET, 0, 0, 0, 127, 0, 0, 1]);
    this.#descriptor = symbols.socket(AF_INET, SOCK_STREAM, 0);
    const bound = symbols.bind(this.#descriptor, ptr(address), ADDRESS_BYTES);
    const listening = symbols.listen(this.#descriptor, 0);
    symbols.getsockname(this.#descriptor, ptr(address), ptr(new Uint32Array([ADDRESS_BYTES])));
    if (bound !== 0 || listening !== 0) throw new Error("Cannot listen");
    this.port = new DataView(address.buffer).getUint16(2);
    this.#fillers = Array.from({ length: FILLERS }, () => connect(this.port, "127.0.0.1").on("error", () => {}));
  }

  /** Resolves when the queue is full. */
  async full(): Promise<void> {
    const [first] = this.#fillers;
    if (first?.connecting === true) await new Promise((resolve) => first.once("connect", resolve));
  }

  close(): void {
    for (const socket of this.#fillers) socket.destroy();
    this.#fillers = [];
    symbols.close(this.#descriptor);
  }
}
