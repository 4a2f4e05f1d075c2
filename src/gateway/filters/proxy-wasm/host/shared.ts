import { MAX_NAME_BYTES } from "../../module/proxy-wasm-bounds.ts";
import { STATUS } from "../guest/enums.ts";
import { type Host } from "./host.ts";
import { type HostFunction, type Numbers } from "../guest/machine.ts";

/** Separates the id of a VM from a name that belongs to it. */
const BETWEEN = "\0";

/** The host functions for shared data and shared queues. */
export function sharedFunctions(instance: Host): Record<string, HostFunction> {
  const { machine } = instance;
  const { shared, settings } = instance.plugin;
  const own = (name: string): string => settings.vmId + BETWEEN + name;
  return {
    proxy_get_shared_data: machine.wrap((memory, [key = 0, keyLength = 0, address = 0, length = 0, cas = 0]) => {
      const found = shared.get(own(machine.text(key, keyLength)));
      if (found === undefined) return STATUS.notFound;
      machine.giveBytes(found.bytes, address, length);
      memory.setU32(cas, found.cas);
      return STATUS.ok;
    }),
    proxy_set_shared_data: machine.wrap((memory, [key = 0, keyLength = 0, value = 0, length = 0, cas = 0]) => {
      machine.enter(length);
      memory.check(value, length);
      if (keyLength > MAX_NAME_BYTES) return STATUS.badArgument;
      const done = shared.set(own(machine.text(key, keyLength)), memory.copy(value, length), cas);
      if (done === "full") return STATUS.internalFailure;
      return done === "ok" ? STATUS.ok : STATUS.casMismatch;
    }),
    proxy_register_shared_queue: machine.wrap((memory, [name = 0, length = 0, out = 0]) => {
      if (length > MAX_NAME_BYTES) return STATUS.badArgument;
      const id = shared.register(own(machine.text(name, length)), instance.queues.hear);
      if (id === 0) return STATUS.internalFailure;
      memory.setU32(out, id);
      return STATUS.ok;
    }),
    proxy_resolve_shared_queue: machine.wrap((memory, [vm = 0, vmLength = 0, name = 0, length = 0, out = 0]) => {
      const id = shared.resolve(machine.text(vm, vmLength) + BETWEEN + machine.text(name, length));
      if (id === 0) return STATUS.notFound;
      memory.setU32(out, id);
      return STATUS.ok;
    }),
    proxy_enqueue_shared_queue: machine.wrap((_memory, parameters) => enqueue(instance, parameters)),
    proxy_dequeue_shared_queue: machine.wrap((_memory, [id = 0, address = 0, length = 0]) => {
      const message = shared.dequeue(id);
      if (message === "unknown") return STATUS.notFound;
      if (message === "empty") return STATUS.empty;
      machine.giveBytes(message, address, length);
      return STATUS.ok;
    }),
  };
}

function enqueue({ machine, plugin }: Host, [id = 0, pointer = 0, length = 0]: Numbers): number {
  const memory = machine.enter(length);
  const done = plugin.shared.enqueue(id, memory.copy(pointer, length));
  if (done === "full") return STATUS.internalFailure;
  return done === "ok" ? STATUS.ok : STATUS.notFound;
}
