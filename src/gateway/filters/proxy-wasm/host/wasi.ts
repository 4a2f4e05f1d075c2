import { MAX_PARTIAL_LINE_BYTES, MAX_RANDOM_BYTES } from "../../module/proxy-wasm-bounds.ts";
import { type Host } from "./host.ts";
import { type HostFunction, type Numbers } from "../guest/machine.ts";
import { nanoseconds } from "./plain.ts";

const ERRNO = { success: 0, badFile: 8, invalid: 28, notSupported: 58 } as const;
const OUTPUTS: readonly number[] = [1, 2];
const INFO = 2;
const ERROR = 4;
/** Random bytes for one unit of fuel, as a power of two. */
const RANDOM_SHIFT = 4;
const MAX_VECTORS = 1024;
/** The status of the standard streams: a character device, without flags and rights. */
const STREAM_STATUS = Uint8Array.of(2, ...new Uint8Array(23));

/** The functions of WASI that a module needs to start and write lines. It has no files, arguments, environment. */
export function wasiFunctions(instance: Host): Record<string, HostFunction> {
  const { machine } = instance;
  const done = machine.wrap(() => ERRNO.success);
  const noFile = machine.wrap(() => ERRNO.badFile);
  /** No entries, with a length of 0 bytes. */
  const none = machine.wrap((memory, [count = 0, bytes = 0]) => {
    memory.setU32(count, 0);
    memory.setU32(bytes, 0);
    return ERRNO.success;
  });
  return {
    args_get: done,
    args_sizes_get: none,
    environ_get: done,
    environ_sizes_get: none,
    sched_yield: done,
    fd_close: done,
    fd_fdstat_set_flags: done,
    fd_prestat_get: noFile,
    fd_prestat_dir_name: noFile,
    fd_fdstat_get: machine.wrap((memory, [file = 0, out = 0]) => {
      if (!OUTPUTS.includes(file) && file !== 0) return ERRNO.badFile;
      memory.writeBytes(STREAM_STATUS, out, STREAM_STATUS.length);
      return ERRNO.success;
    }),
    fd_write: machine.wrap((_memory, parameters) => write(instance, parameters)),
    random_get: machine.wrap((memory, [pointer = 0, length = 0]) => {
      if (length > MAX_RANDOM_BYTES) return ERRNO.invalid;
      machine.charge(length >>> RANDOM_SHIFT);
      memory.writeBytes(crypto.getRandomValues(new Uint8Array(length)), pointer, length);
      return ERRNO.success;
    }),
    // A panic in Go waits with this function, so it must not fail.
    poll_oneoff: machine.wrap((memory, [, , , out = 0]) => {
      memory.setU32(out, 0);
      return ERRNO.success;
    }),
    proc_exit: machine.wrap((_memory, [code = 0]) => machine.exit(code)),
    ...wideFunctions(instance),
  };
}

/** Functions with a 64-bit parameter. */
function wideFunctions({ machine }: Host): Record<string, HostFunction> {
  return {
    clock_time_get: (_clock: number, _precision: bigint, out: number) => {
      machine.enter().setU64(out, nanoseconds());
      return ERRNO.success;
    },
    clock_res_get: machine.wrap((memory, [, out = 0]) => {
      memory.setU64(out, 1000n);
      return ERRNO.success;
    }),
    fd_seek: () => {
      machine.enter();
      return ERRNO.badFile;
    },
  };
}

/** A WASI function that the gateway does not support. */
export function wasiStub({ machine }: Host): HostFunction {
  return () => {
    machine.enter();
    return ERRNO.notSupported;
  };
}

/** Writes lines of the standard streams to the log. */
function write(instance: Host, [file = 0, vectors = 0, count = 0, out = 0]: Numbers): number {
  const { machine } = instance;
  if (!OUTPUTS.includes(file)) return ERRNO.badFile;
  if (count > MAX_VECTORS) return ERRNO.invalid;
  const memory = machine.enter(8 * count);
  let written = 0;
  for (let i = 0; i < count; i++) {
    const pointer = memory.u32(vectors + 8 * i);
    const length = memory.u32(vectors + 8 * i + 4);
    memory.check(pointer, length);
    const shown = Math.min(length, MAX_PARTIAL_LINE_BYTES);
    machine.enter(shown);
    instance.output.write(file === 1 ? INFO : ERROR, memory.copy(pointer, shown));
    written += length;
  }
  memory.setU32(out, written);
  return ERRNO.success;
}
