import { MAX_NAME_BYTES, MAX_PROPERTY_BYTES } from "../../module/proxy-wasm-bounds.ts";
import { MAP, STATUS } from "../guest/enums.ts";
import { type Host } from "./host.ts";
import { type HostFunction } from "../guest/machine.ts";
import { propertyOf, propertyPath } from "../guest/properties.ts";

/** Fuel for a property, in addition to the fuel for a call. */
const PROPERTY_FUEL = 60;
/** Characters of a request's fields for one unit of fuel, as a power of two. A property can be all of them. */
const FIELDS_SHIFT = 4;

/** The host functions for properties: of request, response and filter, and those that filters share. */
export function propertyFunctions(instance: Host): Record<string, HostFunction> {
  const { machine, plugin } = instance;
  return {
    proxy_get_property: machine.wrap((_memory, [path = 0, pathLength = 0, address = 0, length = 0]) => {
      if (pathLength > MAX_NAME_BYTES) return STATUS.notFound;
      const name = propertyPath(machine.text(path, pathLength));
      const { context } = instance;
      // The list can be longer than the message's, because of the filter's own changes.
      const kind = name.startsWith("response") ? MAP.responseHeaders : MAP.requestHeaders;
      const weight = name.startsWith("re") ? (context.fields(kind)?.weight ?? 0) : 0;
      machine.charge(PROPERTY_FUEL + (weight >>> FIELDS_SHIFT));
      const value = propertyOf(name, { context, plugin });
      if (value === undefined) return STATUS.notFound;
      if (typeof value === "string") machine.giveText(value, address, length);
      else machine.giveBytes(value, address, length);
      return STATUS.ok;
    }),
    proxy_set_property: machine.wrap((memory, [path = 0, pathLength = 0, value = 0, length = 0]) => {
      machine.enter(length);
      machine.charge(PROPERTY_FUEL);
      memory.check(value, length);
      if (pathLength > MAX_NAME_BYTES || length > MAX_PROPERTY_BYTES) return STATUS.badArgument;
      const name = propertyPath(machine.text(path, pathLength));
      const owner = instance.context.exchange ?? plugin;
      return plugin.properties.set(owner, name, memory.copy(value, length)) ? STATUS.ok : STATUS.internalFailure;
    }),
  };
}
