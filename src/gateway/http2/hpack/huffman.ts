import { latin1Text } from "../../../lib/memory/latin1.ts";
import { EOS, huffmanCodes } from "./huffman-code.ts";

/** The inner nodes of the code's tree: the states between two bytes. */
const STATES = 256;
/** A code has at least 5 bits, so n bytes hold at most 8 n / 5 symbols. Each step writes two places. */
const MAX_GROWTH = 1.6;
const SCRATCH_BYTES = 16_384;

/**
 * An entry of the table has a byte for the next state, a byte for each of two symbols, and their count. FAIL stands for
 * an invalid code.
 */
const FAIL = -1;
const SYMBOL_1 = 8;
const SYMBOL_2 = 16;
const COUNT = 24;

/** Holds decoded text before it becomes a string. */
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
let tables: Tables | undefined;

interface Tables {
  /** Entries by state and byte: the walk down the tree by eight bits. */
  readonly steps: Int32Array;
  /** 1 for a state in which a string may end: a prefix of EOS, less than a byte from the root. */
  readonly accepts: Uint8Array;
}

/** Children of the inner nodes: another inner node, or -1 - symbol. Node 0 is the root. */
function buildTree(): number[][] {
  const nodes: number[][] = [[]];
  for (const [symbol, { code, length }] of huffmanCodes().entries()) {
    let node = nodes[0] ?? [];
    for (let bit = length - 1; bit > 0; bit--) {
      const side = (code >>> bit) & 1;
      const child = node[side] ?? nodes.push([]) - 1;
      node[side] = child;
      node = nodes[child] ?? [];
    }
    node[code & 1] = -1 - symbol;
  }
  return nodes;
}

/** Walks eight bits down from `state`. */
function step(nodes: readonly number[][], state: number, byte: number): number {
  let node = state;
  let symbols = 0;
  let count = 0;
  for (let bit = 7; bit >= 0; bit--) {
    const child = nodes[node]?.[(byte >>> bit) & 1] ?? 0;
    if (child === -1 - EOS) return FAIL;
    if (child < 0) symbols |= (-1 - child) << (count++ === 0 ? SYMBOL_1 : SYMBOL_2);
    node = Math.max(child, 0);
  }
  return node | symbols | (count << COUNT);
}

function buildTables(): Tables {
  const nodes = buildTree();
  const steps = new Int32Array(STATES * 256);
  for (let i = 0; i < steps.length; i++) steps[i] = step(nodes, i >>> 8, i & 0xff);
  const accepts = new Uint8Array(STATES);
  for (let node = 0, depth = 0; depth < 8; depth++) {
    accepts[node] = 1;
    node = nodes[node]?.[1] ?? 0;
  }
  return { steps, accepts };
}

/**
 * Decodes the Huffman-coded bytes from `start` to `end`. Returns undefined if they hold EOS, or if their padding is
 * longer than 7 bits or not of ones (RFC 7541 §5.2). Each step takes a whole byte: bit by bit takes three times as long
 * (bench parts).
 */
export function decodeHuffman(bytes: Uint8Array, start: number, end: number): string | undefined {
  tables ??= buildTables();
  const { steps, accepts } = tables;
  const room = (end - start) * MAX_GROWTH + 2;
  const out = room <= SCRATCH_BYTES ? scratch : Buffer.allocUnsafe(room);
  let state = 0;
  let length = 0;
  for (let i = start; i < end; i++) {
    const entry = steps[(state << 8) | (bytes[i] ?? 0)] ?? FAIL;
    if (entry === FAIL) return undefined;
    // Both places are written for any count: the next step overwrites a place that holds no symbol.
    out[length] = entry >> SYMBOL_1;
    out[length + 1] = entry >> SYMBOL_2;
    length += entry >> COUNT;
    state = entry & 0xff;
  }
  return accepts[state] === 1 ? latin1Text(out, 0, length) : undefined;
}
