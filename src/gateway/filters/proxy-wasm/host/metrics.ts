import { MAX_NAME_BYTES } from "../../module/proxy-wasm-bounds.ts";
import { METRIC_TYPES, STATUS } from "../guest/enums.ts";
import { type Host } from "./host.ts";
import { type HostFunction } from "../guest/machine.ts";

/** The host functions for a filter's own metrics. Values are numbers that JavaScript holds exactly: up to 2^53. */
export function metricFunctions(instance: Host): Record<string, HostFunction> {
  const { machine } = instance;
  const { defined } = instance.plugin;
  return {
    proxy_define_metric: machine.wrap((memory, [kind = 0, name = 0, length = 0, out = 0]) => {
      const type = METRIC_TYPES[kind];
      if (type === undefined || length > MAX_NAME_BYTES) return STATUS.badArgument;
      const id = defined.define(type, machine.text(name, length));
      if (id === -1) return STATUS.badArgument;
      memory.setU32(out, id);
      return STATUS.ok;
    }),
    proxy_increment_metric: machine.wide((id, amount) => {
      if (defined.add(id, Number(amount))) return STATUS.ok;
      return defined.has(id) ? STATUS.badArgument : STATUS.notFound;
    }),
    proxy_record_metric: machine.wide((id, value) => (defined.record(id, Number(value)) ? STATUS.ok : STATUS.notFound)),
    proxy_get_metric: machine.wrap((memory, [id = 0, out = 0]) => {
      const value = defined.get(id);
      if (value === undefined) return STATUS.notFound;
      memory.setU64(out, BigInt(Math.trunc(value)));
      return STATUS.ok;
    }),
  };
}
