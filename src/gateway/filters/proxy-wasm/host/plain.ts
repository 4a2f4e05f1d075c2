import { LEAST_LOG_LEVEL, LOG_LEVELS, STATUS } from "../guest/enums.ts";
import { MAX_LOG_BYTES } from "../../module/proxy-wasm-bounds.ts";
import { type Host } from "./host.ts";
import { type HostFunction } from "../guest/machine.ts";

/** The host functions for logs, clocks, ticks and contexts, and others that neither read nor change a stream. */
export function plainFunctions(instance: Host): Record<string, HostFunction> {
  const { machine } = instance;
  return {
    proxy_log: machine.wrap((memory, [level = 0, pointer = 0, length = 0]) => {
      memory.check(pointer, length);
      const size = Math.min(length, MAX_LOG_BYTES);
      machine.enter(size);
      if (level >= LOG_LEVELS.length) return STATUS.badArgument;
      instance.log(level, new TextDecoder().decode(memory.copy(pointer, size)));
      return STATUS.ok;
    }),
    proxy_get_log_level: machine.wrap((memory, [out = 0]) => {
      memory.setU32(out, LEAST_LOG_LEVEL);
      return STATUS.ok;
    }),
    proxy_get_current_time_nanoseconds: machine.wrap((memory, [out = 0]) => {
      memory.setU64(out, nanoseconds());
      return STATUS.ok;
    }),
    proxy_set_tick_period_milliseconds: machine.wrap((_memory, [ms = 0]) => {
      instance.setTick(ms);
      return STATUS.ok;
    }),
    proxy_set_effective_context: machine.wrap((_memory, [id = 0]) => {
      const context = instance.find(id);
      if (context === undefined) return STATUS.badArgument;
      instance.context = context;
      return STATUS.ok;
    }),
    proxy_done: machine.wrap(() => (instance.context.done() ? STATUS.ok : STATUS.notFound)),
    proxy_call_foreign_function: machine.wrap((memory, [, , , , address = 0, length = 0]) => {
      // One SDK frees the result, even if the function was not found.
      memory.setU32(address, 0);
      memory.setU32(length, 0);
      return STATUS.notFound;
    }),
    proxy_clear_route_cache: machine.wrap(() => STATUS.ok),
    proxy_get_configuration: machine.wrap((_memory, [address = 0, length = 0]) => {
      machine.giveBytes(Buffer.from(instance.plugin.settings.config), address, length);
      return STATUS.ok;
    }),
    pthread_equal: machine.wrap((_memory, [a = 0, b = 0]) => Number(a === b)),
    emscripten_notify_memory_growth: machine.wrap(() => STATUS.ok),
    abort: machine.wrap(() => {
      throw machine.abort("aborts");
    }),
  };
}

/** Nanoseconds of Unix time. */
export function nanoseconds(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n;
}
