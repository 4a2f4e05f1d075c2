import { MAX_NAME_BYTES, MAX_PROPERTY_BYTES } from "../bounds.ts";
import { MAP, STATUS } from "../enums.ts";
import { type Host } from "./host.ts";
import { type HostFunction } from "../machine.ts";
import { propertyOf } from "../properties.ts";

/** Fuel for a property, beside that for a call. */
const PROPERTY_FUEL = 60;
/** Fuel for each character of the fields of a request, of which a property may be all; as a power of two. */
const FIELDS_SHIFT = 4;

/** What a filter asks of a request, a response and its own place, and what filters of one request tell each other. */
export function propertyFunctions(instance: Host): Record<string, HostFunction> {
  const { machine, plugin } = instance;
  return {
    proxy_get_property: machine.wrap((_memory, [path = 0, pathLength = 0, address = 0, length = 0]) => {
      if (pathLength >>> 0 > MAX_NAME_BYTES) return STATUS.notFound;
      const name = machine.text(path, pathLength);
      const { context } = instance;
      // Of a list that the filter has made longer.
      const kind = name.startsWith("response") ? MAP.responseHeaders : MAP.requestHeaders;
      const weight = name.startsWith("re") ? (context.fields(kind)?.weight ?? 0) : 0;
      machine.charge(PROPERTY_FUEL + (weight >>> FIELDS_SHIFT));
      const value = propertyOf(name, { context, plugin }) ?? plugin.properties.get(context.exchange ?? plugin, name);
      if (value === undefined) return STATUS.notFound;
      if (typeof value === "string") machine.giveText(value, address, length);
      else machine.giveBytes(value, address, length);
      return STATUS.ok;
    }),
    proxy_set_property: machine.wrap((memory, [path = 0, pathLength = 0, value = 0, length = 0]) => {
      machine.enter(length >>> 0);
      machine.charge(PROPERTY_FUEL);
      memory.check(value, length);
      if (pathLength >>> 0 > MAX_NAME_BYTES || length >>> 0 > MAX_PROPERTY_BYTES) return STATUS.badArgument;
      const name = machine.text(path, pathLength);
      const owner = instance.context.exchange ?? plugin;
      return plugin.properties.set(owner, name, memory.copy(value, length)) ? STATUS.ok : STATUS.internalFailure;
    }),
  };
}
