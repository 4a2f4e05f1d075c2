import { type ByteReader } from "../reading/byte-reader.ts";
import { type BlockKind, ControlStack, UNREACHED } from "./control-stack.ts";
import { Edit, Edits } from "./edits.ts";
import { FC_TABLE, FD_TABLE, Immediate, PLAIN_TABLE } from "./instructions.ts";
import { MAX_LOCALS } from "../reading/limits.ts";
import { type ModuleShape } from "../reading/module-shape.ts";
import { hex, ModuleRefused } from "../reading/refused.ts";
import { checkMemoryIndex } from "../reading/segments.ts";
import {
  checkIndex,
  type FunctionType,
  garbageCollected,
  readHeapType,
  readValueType,
} from "../reading/value-types.ts";

const EMPTY_BLOCK = 0x40;
const PREFIX_FC = 0xfc;
/** The bit in the alignment of an access that announces the index of a memory. */
const NAMES_MEMORY = 0x40;

/** Reads function bodies once, instruction by instruction, and determines the edits for metering. */
export class FunctionWalk {
  readonly edits = new Edits();
  /** Loops that were read, over all functions. */
  loops = 0;
  readonly #reader: ByteReader;
  readonly #shape: ModuleShape;
  readonly #control = new ControlStack(this.edits);

  constructor(reader: ByteReader, shape: ModuleShape) {
    this.#reader = reader;
    this.#shape = shape;
  }

  /** Reads the body of a function of this type up to `end`. Replaces the contents of `edits`. */
  body(type: FunctionType, end: number): void {
    const reader = this.#reader;
    const control = this.#control;
    this.edits.clear();
    control.cost = this.#locals() + type.params.length;
    const entry = this.edits.add(Edit.charge, reader.offset);
    control.open("function", type.results.length, reader.offset, entry);
    control.cost = 0;
    while (control.depth > 0) this.#instruction();
    if (reader.offset !== end) throw new ModuleRefused("a function does not end where its length says", reader.offset);
  }

  /** Skips the local variables. Returns their number. */
  #locals(): number {
    const reader = this.#reader;
    const groups = reader.count("groups of local variables");
    let locals = 0;
    for (let i = 0; i < groups; i++) {
      const offset = reader.offset;
      locals += reader.u32();
      if (locals > MAX_LOCALS) {
        throw new ModuleRefused(`a function has more than ${MAX_LOCALS} local variables`, offset);
      }
      readValueType(reader, this.#shape.types.length);
    }
    return locals;
  }

  #instruction(): void {
    const reader = this.#reader;
    const offset = reader.offset;
    const opcode = reader.byte();
    // The tables have an entry for every byte.
    const immediate = PLAIN_TABLE.immediates[opcode] as number;
    if (immediate === Immediate.prefix) {
      this.#prefixed(opcode, offset);
      return;
    }
    if (immediate === Immediate.unknown)
      throw new ModuleRefused(`it has an unknown instruction ${hex(opcode)}`, offset);
    this.#control.spend(PLAIN_TABLE.costs[opcode] as number, offset);
    if (immediate === Immediate.none) return;
    if (immediate >= Immediate.function) this.#operands(immediate, offset);
    else this.#controlFlow(immediate, offset);
  }

  #prefixed(opcode: number, offset: number): void {
    const table = opcode === PREFIX_FC ? FC_TABLE : FD_TABLE;
    const number = this.#reader.u32();
    const immediate = table.immediates[number] ?? Immediate.unknown;
    if (immediate === Immediate.unknown) {
      throw new ModuleRefused(`it has an unknown instruction ${hex(opcode)} ${hex(number)}`, offset);
    }
    this.#control.spend(table.costs[number] ?? 0, offset);
    if (immediate !== Immediate.none) this.#operands(immediate, offset);
  }

  /** Blocks, branches, and instructions that leave a function. */
  #controlFlow(immediate: number, offset: number): void {
    const control = this.#control;
    const reader = this.#reader;
    switch (immediate) {
      case Immediate.block:
        return this.#open("block", offset);
      case Immediate.if:
        return this.#open("if", offset);
      case Immediate.try:
        return this.#open("try", offset);
      case Immediate.loop:
        return this.#open("loop", offset);
      case Immediate.tryTable:
        return this.#tryTable(offset);
      case Immediate.else:
        return control.else(offset);
      case Immediate.end:
        return control.close(offset);
      case Immediate.catchTag:
        reader.u32();
        return control.handler(offset);
      case Immediate.catchAll:
        return control.handler(offset);
      case Immediate.delegate:
        reader.u32();
        return control.close(offset);
      case Immediate.branch:
        control.branch(reader.u32(), offset);
        control.cost = UNREACHED;
        return;
      case Immediate.branchIf:
        return control.branch(reader.u32(), offset);
      case Immediate.branchTable:
        return this.#branchTable(offset);
      case Immediate.return:
        return control.leave(offset);
      case Immediate.throwTag:
      case Immediate.rethrow:
        reader.u32();
        control.cost = UNREACHED;
        return;
      default: // unreachable, throw_ref
        control.cost = UNREACHED;
    }
  }

  #open(kind: BlockKind, offset: number): void {
    const reader = this.#reader;
    const { types } = this.#shape;
    const first = reader.bytes[reader.offset];
    let params = 0;
    let results = 0;
    if (first === EMPTY_BLOCK) {
      reader.skip(1);
    } else if (first !== undefined && first > EMPTY_BLOCK && first < 0x80) {
      readValueType(reader, types.length);
      results = 1;
    } else {
      const index = reader.s33();
      const type = types[index];
      if (type === undefined) throw new ModuleRefused(`it has a block of the unknown type ${index}`, offset);
      params = type.params.length;
      results = type.results.length;
    }
    this.#control.spend(params + results, offset);
    if (kind !== "loop") {
      this.#control.open(kind, results, offset);
      return;
    }
    this.loops++;
    this.#control.settle(offset);
    this.#control.open(kind, params, offset, this.edits.add(Edit.charge, reader.offset));
  }

  /** The labels of its handlers are those around it. */
  #tryTable(offset: number): void {
    const reader = this.#reader;
    this.#open("block", offset);
    const count = reader.count("handlers");
    for (let i = 0; i < count; i++) {
      const at = reader.offset;
      const kind = reader.byte();
      if (kind > 3) throw new ModuleRefused(`it has an unknown kind of handler ${hex(kind)}`, at);
      if (kind < 2) reader.u32();
      this.#control.catchAt(reader.u32() + 1, at);
    }
  }

  #branchTable(offset: number): void {
    const reader = this.#reader;
    const labels = reader.count("labels");
    this.#control.branch(reader.u32(), offset);
    for (let i = 0; i < labels; i++) this.#control.branchToo(reader.u32(), offset);
    this.#control.cost = UNREACHED;
  }

  #operands(immediate: number, offset: number): void {
    const reader = this.#reader;
    switch (immediate) {
      case Immediate.index:
        reader.u32();
        return;
      case Immediate.lane:
        reader.byte();
        return;
      case Immediate.i32:
        return reader.skipSigned(32);
      case Immediate.i64:
        return reader.skipSigned(64);
      case Immediate.bytes4:
        return reader.skip(4);
      case Immediate.bytes8:
        return reader.skip(8);
      case Immediate.bytes16:
        return reader.skip(16);
      case Immediate.memory:
        return this.#access();
      case Immediate.memoryLane:
        this.#access();
        reader.byte();
        return;
      case Immediate.select:
        return this.#selectTypes();
      case Immediate.heapType:
        return readHeapType(reader, this.#shape.types.length);
      case Immediate.garbageCollected:
        throw garbageCollected(offset);
      case Immediate.threads:
        throw new ModuleRefused("it uses atomic instructions, which belong to threads", offset);
      default:
        if (immediate >= Immediate.memorySize) this.#bulk(immediate, offset);
        else this.#checkedIndex(immediate, offset);
    }
  }

  /** Checks an index into a list that metering extends. The module's own code must not reach the added entries. */
  #checkedIndex(immediate: number, offset: number): void {
    const reader = this.#reader;
    const { functions, globalCount, types } = this.#shape;
    const index = reader.u32();
    switch (immediate) {
      case Immediate.global:
        return checkIndex("global", index, globalCount, offset);
      case Immediate.function:
        return checkIndex("function", index, functions.length, offset);
      case Immediate.type:
        return checkIndex("type", index, types.length, offset);
      case Immediate.typeAndTable:
        reader.u32();
        return checkIndex("type", index, types.length, offset);
      case Immediate.tailFunction:
        checkIndex("function", index, functions.length, offset);
        return this.#control.leave(offset);
      default: // tailTypeAndTable, tailType
        if (immediate === Immediate.tailTypeAndTable) reader.u32();
        checkIndex("type", index, types.length, offset);
        this.#control.leave(offset);
    }
  }

  #access(): void {
    const reader = this.#reader;
    const offset = reader.offset;
    const alignment = reader.u32();
    if (alignment >= NAMES_MEMORY) throw new ModuleRefused("it accesses a memory by number; a filter has one", offset);
    reader.u32();
  }

  #selectTypes(): void {
    const count = this.#reader.count("types of a select");
    for (let i = 0; i < count; i++) readValueType(this.#reader, this.#shape.types.length);
  }

  /** Memory sizes, and operations whose time depends on a length. */
  #bulk(immediate: number, offset: number): void {
    const reader = this.#reader;
    switch (immediate) {
      case Immediate.memorySize:
      case Immediate.memoryGrow: {
        if (this.#shape.memory === undefined)
          throw new ModuleRefused("it uses a memory, and does not define one", offset);
        checkMemoryIndex(reader);
        if (immediate === Immediate.memoryGrow) this.edits.add(Edit.grow, offset, reader.offset - offset);
        return;
      }
      case Immediate.initMemory:
        reader.u32();
        checkMemoryIndex(reader);
        break;
      case Immediate.copyMemory:
        checkMemoryIndex(reader);
        checkMemoryIndex(reader);
        break;
      case Immediate.fillMemory:
        checkMemoryIndex(reader);
        break;
      case Immediate.tablesLength:
        reader.u32();
        reader.u32();
        break;
      default: // tableLength
        reader.u32();
    }
    const isTable = immediate === Immediate.tableLength || immediate === Immediate.tablesLength;
    this.edits.add(isTable ? Edit.chargeEntries : Edit.chargeBytes, offset);
  }
}
