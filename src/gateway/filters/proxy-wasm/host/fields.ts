import { type FieldList } from "../guest/field-list.ts";
import { MAP, STATUS } from "../guest/enums.ts";
import { type Host } from "./host.ts";
import { type HostFunction, type Numbers } from "../guest/machine.ts";
import { decodePairs } from "../guest/pairs.ts";

/** Characters of a list for one unit of fuel, as powers of two: to search, edit, read by field, replace it. */
const SEARCH_SHIFT = 6;
const EDIT_SHIFT = 5;
const READ_SHIFT = 3;
const SET_SHIFT = 2;

/** The host functions for field lists: headers, trailers, and those of responses to calls. */
export function fieldFunctions(instance: Host): Record<string, HostFunction> {
  const { machine } = instance;
  const { abi } = instance.plugin.module;
  const isOld = abi.kind === "proxy-wasm" && abi.version === "0.1.0";
  const list = (kind: number): FieldList | undefined => instance.context.fields(kind);
  return {
    proxy_get_header_map_size: machine.wrap((memory, [kind = 0, out = 0]) => {
      const fields = list(kind);
      if (fields === undefined) return STATUS.badArgument;
      machine.charge(fields.weight >>> READ_SHIFT);
      memory.setU32(out, fields.bytes);
      return STATUS.ok;
    }),
    proxy_get_header_map_pairs: machine.wrap((_memory, [kind = 0, address = 0, length = 0]) => {
      const fields = list(kind);
      machine.charge((fields?.weight ?? 0) >>> READ_SHIFT);
      machine.giveText(fields?.encoded() ?? "", address, length);
      return STATUS.ok;
    }),
    proxy_set_header_map_pairs: machine.wrap((memory, [kind = 0, pointer = 0, length = 0]) => {
      const fields = changeable(instance, kind);
      machine.charge((length + (fields?.weight ?? 0)) >>> SET_SHIFT);
      const pairs = decodePairs(memory, pointer, length);
      if (fields === undefined || pairs === undefined) return STATUS.badArgument;
      fields.setAll(pairs, () => machine.charge(fields.weight >>> EDIT_SHIFT));
      return STATUS.ok;
    }),
    proxy_get_header_map_value: machine.wrap((_memory, parameters) => {
      const [kind = 0, pointer = 0, length = 0, addressOut = 0, lengthOut = 0] = parameters;
      const fields = list(kind);
      if (fields === undefined) return STATUS.badArgument;
      machine.charge(fields.weight >>> SEARCH_SHIFT);
      const value = fields.get(machine.text(pointer, length));
      // The older ABI has no status for an absent field.
      if (value === undefined && !isOld) return STATUS.notFound;
      machine.giveText(value ?? "", addressOut, lengthOut);
      return STATUS.ok;
    }),
    proxy_add_header_map_value: machine.wrap((_memory, parameters) =>
      change(instance, parameters, (fields, name, value) => fields.add(name, value)),
    ),
    proxy_replace_header_map_value: machine.wrap((_memory, parameters) =>
      change(instance, parameters, (fields, name, value) => fields.replace(name, value)),
    ),
    proxy_remove_header_map_value: machine.wrap((_memory, [kind = 0, pointer = 0, length = 0]) => {
      const fields = changeable(instance, kind);
      if (fields === undefined) return STATUS.badArgument;
      machine.charge(fields.weight >>> EDIT_SHIFT);
      fields.remove(machine.text(pointer, length));
      return STATUS.ok;
    }),
  };
}

/** The list, if the filter can change it. Fields of responses to calls are read-only. */
function changeable({ context }: Host, kind: number): FieldList | undefined {
  return kind <= MAP.responseTrailers ? context.fields(kind) : undefined;
}

function change(
  instance: Host,
  parameters: Numbers,
  apply: (fields: FieldList, name: string, value: string) => void,
): number {
  const [kind = 0, namePointer = 0, nameLength = 0, valuePointer = 0, valueLength = 0] = parameters;
  const fields = changeable(instance, kind);
  if (fields === undefined) return STATUS.badArgument;
  instance.machine.charge(fields.weight >>> EDIT_SHIFT);
  const name = instance.machine.text(namePointer, nameLength);
  apply(fields, name, instance.machine.text(valuePointer, valueLength));
  return STATUS.ok;
}
