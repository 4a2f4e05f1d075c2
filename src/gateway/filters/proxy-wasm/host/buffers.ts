import { MAX_EDITED_BYTES } from "../../module/proxy-wasm-bounds.ts";
import { STATUS } from "../guest/enums.ts";
import { type Host } from "./host.ts";
import { type HostFunction } from "../guest/machine.ts";

const END_OF_STREAM = 1;

/** The host functions for bodies and configurations. */
export function bufferFunctions(instance: Host): Record<string, HostFunction> {
  const { machine } = instance;
  return {
    proxy_get_buffer_bytes: machine.wrap((memory, [kind = 0, from = 0, most = 0, address = 0, length = 0]) => {
      const buffer = instance.context.buffer(kind);
      if (buffer === undefined) return STATUS.notFound;
      if (from + most > 0xffff_ffff) return STATUS.badArgument;
      const size = Math.min(most, Math.max(buffer.length - from, 0));
      if (size === 0) {
        memory.setU32(address, 0);
        memory.setU32(length, 0);
      } else machine.giveBytes(buffer.view(from, size), address, length);
      return STATUS.ok;
    }),
    proxy_get_buffer_status: machine.wrap((memory, [kind = 0, length = 0, flags = 0]) => {
      const buffer = instance.context.buffer(kind);
      if (buffer === undefined) return STATUS.notFound;
      memory.setU32(length, buffer.length);
      memory.setU32(flags, END_OF_STREAM);
      return STATUS.ok;
    }),
    proxy_set_buffer_bytes: machine.wrap((memory, [kind = 0, start = 0, size = 0, pointer = 0, length = 0]) => {
      const buffer = instance.context.buffer(kind);
      if (buffer === undefined) return STATUS.notFound;
      if (buffer.splice === undefined) return STATUS.badArgument;
      memory.check(pointer, length);
      if (length > MAX_EDITED_BYTES) return STATUS.badArgument;
      machine.enter(length + buffer.length);
      const isDone = buffer.splice(start, size, memory.copy(pointer, length));
      return isDone ? STATUS.ok : STATUS.badArgument;
    }),
  };
}
