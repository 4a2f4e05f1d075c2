import { ByteWriter } from "./byte-writer.ts";
import { Edit } from "./edits.ts";

/** The indices of the entries that metering adds to a module, after the module's own entries. */
export interface MeterIndexes {
  readonly fuelGlobal: number;
  /** The type (i32) -> i32. */
  readonly type: number;
  readonly chargeBytes: number;
  readonly chargeEntries: number;
  readonly grow: number;
}

const OP = {
  unreachable: 0x00,
  if: 0x04,
  end: 0x0b,
  return: 0x0f,
  call: 0x10,
  localGet: 0x20,
  globalGet: 0x23,
  globalSet: 0x24,
  memorySize: 0x3f,
  memoryGrow: 0x40,
  i32Const: 0x41,
  ltS: 0x48,
  gtU: 0x4b,
  add: 0x6a,
  sub: 0x6b,
  shl: 0x74,
  shrU: 0x76,
} as const;
const NO_VALUE = 0x40;

/** Bytes that one unit of fuel fills or copies, as a power of two. */
const BYTES_SHIFT = 6;
/** Table entries that one unit of fuel fills or copies, as a power of two. */
const ENTRIES_SHIFT = 2;
/** Fuel for each page by which a memory grows, as a power of two: first writes cause page faults. */
const PAGE_FUEL_SHIFT = 4;

/** Traps if the fuel is below zero. */
function checkFuel(code: ByteWriter, { fuelGlobal }: MeterIndexes): ByteWriter {
  code.byte(OP.globalGet).u32(fuelGlobal).byte(OP.i32Const).s32(0).byte(OP.ltS);
  return code.byte(OP.if).byte(NO_VALUE).byte(OP.unreachable).byte(OP.end);
}

/** `fuel -= amount; if (fuel < 0) trap` */
function charge(amount: number, indexes: MeterIndexes): Uint8Array {
  const code = new ByteWriter().byte(OP.globalGet).u32(indexes.fuelGlobal);
  code.byte(OP.i32Const).s32(amount).byte(OP.sub).byte(OP.globalSet).u32(indexes.fuelGlobal);
  return checkFuel(code, indexes).done();
}

function call(index: number): Uint8Array {
  return new ByteWriter().byte(OP.call).u32(index).done();
}

/** The code for each kind of edit. The code for an amount is created once for each amount. */
export class MeteringCode {
  readonly #indexes: MeterIndexes;
  readonly #charges = new Map<number, Uint8Array>();
  readonly #others: ReadonlyMap<number, Uint8Array>;

  constructor(indexes: MeterIndexes) {
    this.#indexes = indexes;
    this.#others = new Map([
      [Edit.chargeBytes, call(indexes.chargeBytes)],
      [Edit.chargeEntries, call(indexes.chargeEntries)],
      [Edit.grow, call(indexes.grow)],
    ]);
  }

  of(kind: number, amount: number): Uint8Array {
    const other = this.#others.get(kind);
    if (other !== undefined) return other;
    return this.#charges.getOrInsertComputed(amount, () => charge(amount, this.#indexes));
  }
}

/** Takes fuel for a length, and returns the length: `fuel -= (length >>> shift) + 1`. */
function chargeLengthBody(indexes: MeterIndexes, shift: number): Uint8Array {
  const code = new ByteWriter().u32(0).byte(OP.globalGet).u32(indexes.fuelGlobal);
  code.byte(OP.localGet).u32(0).byte(OP.i32Const).s32(shift).byte(OP.shrU);
  code.byte(OP.i32Const).s32(1).byte(OP.add).byte(OP.sub).byte(OP.globalSet).u32(indexes.fuelGlobal);
  return checkFuel(code, indexes).byte(OP.localGet).u32(0).byte(OP.end).done();
}

/** Replaces `memory.grow`: takes fuel first. */
function growBody(indexes: MeterIndexes, maximum: number): Uint8Array {
  const { fuelGlobal } = indexes;
  const code = new ByteWriter().u32(0);
  // if (delta > maximum - pages) return -1
  code.byte(OP.localGet).u32(0).byte(OP.i32Const).s32(maximum).byte(OP.memorySize).byte(0).byte(OP.sub);
  code.byte(OP.gtU).byte(OP.if).byte(NO_VALUE).byte(OP.i32Const).s32(-1).byte(OP.return).byte(OP.end);
  // fuel -= delta << shift
  code.byte(OP.globalGet).u32(fuelGlobal).byte(OP.localGet).u32(0).byte(OP.i32Const).s32(PAGE_FUEL_SHIFT);
  code.byte(OP.shl).byte(OP.sub).byte(OP.globalSet).u32(fuelGlobal);
  return checkFuel(code, indexes).byte(OP.localGet).u32(0).byte(OP.memoryGrow).byte(0).byte(OP.end).done();
}

/** The bodies of the added functions, in the order of their indices. `maximumPages` is undefined without a memory. */
export function addedBodies(indexes: MeterIndexes, maximumPages: number | undefined): Uint8Array[] {
  const bodies = [chargeLengthBody(indexes, BYTES_SHIFT), chargeLengthBody(indexes, ENTRIES_SHIFT)];
  return maximumPages === undefined ? bodies : [...bodies, growBody(indexes, maximumPages)];
}
