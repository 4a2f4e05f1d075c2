import { type ByteReader } from "./byte-reader.ts";
import { type ModuleShape } from "./module-shape.ts";
import { hex, ModuleRefused } from "./refused.ts";
import { checkIndex, garbageCollected, readHeapType } from "./value-types.ts";

/** Skips an expression that the runtime evaluates while it instantiates a module. It has no loops and no calls. */
export function skipConstantExpression(reader: ByteReader, shape: ModuleShape): void {
  for (;;) {
    const offset = reader.offset;
    const opcode = reader.byte();
    switch (opcode) {
      case 0x0b: // end
        return;
      case 0x23: // global.get
        checkIndex("global", reader.u32(), shape.globalCount, offset);
        break;
      case 0x41: // i32.const
        reader.skipSigned(32);
        break;
      case 0x42: // i64.const
        reader.skipSigned(64);
        break;
      case 0x43: // f32.const
        reader.skip(4);
        break;
      case 0x44: // f64.const
        reader.skip(8);
        break;
      case 0x6a: // i32.add
      case 0x6b: // i32.sub
      case 0x6c: // i32.mul
      case 0x7c: // i64.add
      case 0x7d: // i64.sub
      case 0x7e: // i64.mul
        break;
      case 0xd0: // ref.null
        readHeapType(reader, shape.types.length);
        break;
      case 0xd2: // ref.func
        checkIndex("function", reader.u32(), shape.functions.length, offset);
        break;
      case 0xfb:
        throw garbageCollected(offset);
      case 0xfd: // v128.const
        if (reader.u32() !== 0x0c) throw notConstant("0xfd", offset);
        reader.skip(16);
        break;
      default:
        throw notConstant(hex(opcode), offset);
    }
  }
}

function notConstant(opcode: string, offset: number): ModuleRefused {
  return new ModuleRefused(`it has the instruction ${opcode} in a constant expression`, offset);
}
