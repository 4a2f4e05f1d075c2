import { ptr } from "bun:ffi";
import { nativeMemory } from "../memory/native-memory.ts";
import { cFunctions } from "../process/c-library.ts";

const libc = cFunctions({ setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" } });

export interface SocketOption {
  readonly level: number;
  readonly name: number;
}

/** Sets an option of a socket of Bun, or of a descriptor. False: the system refuses it. */
export function setSocketOption(
  socket: object | number,
  { level, name }: SocketOption,
  value: NodeJS.TypedArray,
): boolean {
  const fd: unknown = typeof socket === "number" ? socket : Reflect.get(socket, "fd");
  if (typeof fd !== "number" || fd < 0) return false;
  return libc()?.setsockopt(fd, level, name, ptr(value), value.byteLength) === 0;
}

const ATTACH_FILTER: SocketOption = { level: 1, name: 26 };

/** A step of a classic BPF program, `struct sock_filter`. */
export type FilterStep = readonly [code: number, value: number, ifTrue?: number, ifFalse?: number];

/** Lets the kernel drop packets of a socket by a classic BPF program. False: the system refuses it. */
export function attachFilter(socket: object | number, steps: readonly FilterStep[]): boolean {
  const { buffer, address } = nativeMemory(8 * steps.length);
  const view = new DataView(buffer);
  for (const [i, [code, value, ifTrue = 0, ifFalse = 0]] of steps.entries()) {
    view.setUint16(8 * i, code, true);
    view.setUint8(8 * i + 2, ifTrue);
    view.setUint8(8 * i + 3, ifFalse);
    view.setUint32(8 * i + 4, value, true);
  }
  // `struct sock_fprog`: the number of steps and their address.
  const program = new BigUint64Array([BigInt(steps.length), BigInt(address)]);
  // The steps must live until the kernel has read them.
  return setSocketOption(socket, ATTACH_FILTER, program) && buffer.byteLength > 0;
}
