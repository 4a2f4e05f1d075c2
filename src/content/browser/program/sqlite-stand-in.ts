/** From sqlite3.h: unable to open the database file. */
const SQLITE_CANTOPEN = 14;
/** The functions that return a pointer. They report failure by the null pointer. */
const GIVES_POINTER = /^sqlite3_(?:mprintf|column_(?:blob|name|text))$/;

/**
 * The functions of SQLite that the browser's certificate library uses. The linker requires that each of them exists.
 */
const FUNCTIONS = [
  "bind_blob",
  "bind_int",
  "bind_text",
  "busy_timeout",
  "close",
  "column_blob",
  "column_bytes",
  "column_count",
  "column_int",
  "column_name",
  "column_text",
  "exec",
  "file_control",
  "finalize",
  "free",
  "mprintf",
  "open_v2",
  "prepare_v2",
  "reset",
  "step",
].map((name) => `sqlite3_${name}`);
const VARIABLE = "sqlite3_temp_directory";

/** The file name that the certificate library loads. */
export const SQLITE_FILE = "libsqlite3.so.0";

// Sizes and numbers of the ELF specification (elf.h), for 64 bits.
const HEADER = 64;
const PROGRAM_HEADER = 56;
const SYMBOL = 24;
const PAGE = 4096;
/** Bytes of a function: `mov eax, imm32; ret`, and two bytes of padding. */
const CODE = 8;

/**
 * Makes a shared library (ELF, x86-64) in place of SQLite that cannot open any database. The npm package's libsoftokn3
 * is linked against SQLite, but neither the package nor a minimal system includes it. Without the library the browser
 * ends at the first HTTPS page. It needs SQLite only for its certificate database, which is not wanted: if the database
 * cannot be opened, the browser continues without it.
 *
 *     page 0, read and execute: header, program headers, hash table, symbols, names, code
 *     page 1, read and write:   dynamic table, the one variable
 */
export function sqliteStandIn(): Buffer {
  const symbols = [...FUNCTIONS, VARIABLE];
  const names = Buffer.from(`\0${[SQLITE_FILE, ...symbols].join("\0")}\0`);
  const hashAt = HEADER + 4 * PROGRAM_HEADER;
  const symbolsAt = align(hashAt + 4 * (3 + symbols.length + 1));
  const namesAt = symbolsAt + SYMBOL * (symbols.length + 1);
  const codeAt = align(namesAt + names.length);
  const codeEnd = codeAt + CODE * FUNCTIONS.length;
  const dynamic = [
    [14, names.indexOf(SQLITE_FILE)], // DT_SONAME
    [4, hashAt], // DT_HASH
    [5, namesAt], // DT_STRTAB
    [6, symbolsAt], // DT_SYMTAB
    [10, names.length], // DT_STRSZ
    [11, SYMBOL], // DT_SYMENT
    [0, 0], // DT_NULL
  ] as const;
  const variableAt = PAGE + dynamic.length * 16;
  const file = Buffer.alloc(variableAt + 8);
  writeHeaders(file, codeEnd, dynamic.length * 16);
  // The hash table with one bucket is a list: bucket count, chain count, the first symbol, then the next symbol of
  // each.
  const chain = symbols.map((_, n) => (n + 2) % (symbols.length + 1));
  for (const [n, word] of [1, symbols.length + 1, 1, 0, ...chain].entries()) file.writeUInt32LE(word, hashAt + 4 * n);
  for (const [n, name] of symbols.entries()) {
    const at = symbolsAt + SYMBOL * (n + 1);
    const isFunction = name !== VARIABLE;
    file.writeUInt32LE(names.indexOf(`\0${name}\0`) + 1, at);
    file[at + 4] = isFunction ? 0x12 : 0x11; // STB_GLOBAL with STT_FUNC or STT_OBJECT
    file.writeUInt16LE(isFunction ? 1 : 2, at + 6); // any section: only "defined" matters
    file.writeBigUInt64LE(BigInt(isFunction ? codeAt + CODE * n : variableAt), at + 8);
    file.writeBigUInt64LE(BigInt(8), at + 16);
    if (!isFunction) continue;
    file[codeAt + CODE * n] = 0xb8;
    file.writeUInt32LE(GIVES_POINTER.test(name) ? 0 : SQLITE_CANTOPEN, codeAt + CODE * n + 1);
    file[codeAt + CODE * n + 5] = 0xc3;
  }
  names.copy(file, namesAt);
  for (const [n, [tag, value]] of dynamic.entries()) {
    file.writeBigUInt64LE(BigInt(tag), PAGE + 16 * n);
    file.writeBigUInt64LE(BigInt(value), PAGE + 16 * n + 8);
  }
  return file;
}

function writeHeaders(file: Buffer, codeEnd: number, dynamicBytes: number): void {
  file.write("\x7fELF\x02\x01\x01", "latin1"); // 64 bits, little-endian, version 1
  file.writeUInt16LE(3, 16); // ET_DYN
  file.writeUInt16LE(62, 18); // EM_X86_64
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(BigInt(HEADER), 32); // program headers follow
  file.writeUInt16LE(HEADER, 52);
  file.writeUInt16LE(PROGRAM_HEADER, 54);
  const data = file.length - PAGE;
  // PT_LOAD, PT_LOAD, PT_DYNAMIC, PT_GNU_STACK; flags: 1 execute, 2 write, 4 read.
  const segments = [
    [1, 5, 0, codeEnd, PAGE],
    [1, 6, PAGE, data, PAGE],
    [2, 6, PAGE, dynamicBytes, 8],
    [0x6474e551, 6, 0, 0, 16],
  ] as const;
  file.writeUInt16LE(segments.length, 56);
  for (const [n, [type, flags, offset, bytes, alignment]] of segments.entries()) {
    const at = HEADER + PROGRAM_HEADER * n;
    file.writeUInt32LE(type, at);
    file.writeUInt32LE(flags, at + 4);
    // The offset in the file is also the virtual and the physical address. The size in the file is also the size in
    // memory.
    for (const [field, value] of [offset, offset, offset, bytes, bytes, alignment].entries()) {
      file.writeBigUInt64LE(BigInt(value), at + 8 + 8 * field);
    }
  }
}

function align(offset: number): number {
  return Math.ceil(offset / 8) * 8;
}
