/**
 * A root with musl for the one-file program. Debian has musl, but no libstdc++ for it, which Alpine has as a package. Here it is
 * linked from the objects of GCC's libstdc++.a that the program uses; functions of the GNU C library that they call are added.
 */
import { copyFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "./tools.ts";

/** A processor: Debian's name of it, the prefix of its GCC, and the folder of its libraries for musl. */
export interface Processor {
  readonly debian: string;
  readonly gcc: string;
  readonly folder: string;
}

/** Processors of the programs with musl. */
export const PROCESSORS = {
  x64: { debian: "amd64", gcc: "gcc", folder: "x86_64-linux-musl" },
  arm64: { debian: "arm64", gcc: "aarch64-linux-gnu-gcc", folder: "aarch64-linux-musl" },
} as const satisfies Record<string, Processor>;

/** Functions and variables that libstdc++ takes from the GNU C library and that musl does not have. */
const GNU_PARTS = `
#include <sys/auxv.h>
#include <sys/random.h>
void *__dso_handle __attribute__((visibility("hidden"))) = 0;
char __libc_single_threaded = 0;
int _dl_find_object(void *pc, void *result) { (void)pc; (void)result; return -1; }
unsigned int arc4random(void) { unsigned int v; getrandom(&v, sizeof v, 0); return v; }
unsigned long __getauxval(unsigned long type) { return getauxval(type); }
`;

/** Creates a folder with musl, libstdc++ and the program as `/turnpike`. */
export function muslRoot(program: string, root: string, processor: Processor): void {
  const { debian, gcc, folder } = processor;
  const own = ["--quiet", "--mode=root", "--variant=extract", "--include=musl", `--architectures=${debian}`];
  run(["mmdebstrap", ...own, "bookworm", root], { TMPDIR: dirname(root) });
  copyFileSync(program, join(root, "turnpike"));
  linkLibrary(program, join(root, "lib", folder, "libstdc++.so.6"), gcc);
}

function linkLibrary(program: string, library: string, gcc: string): void {
  const partOf = (name: string): string => run([gcc, `-print-file-name=${name}`]).trim();
  const archive = partOf("libstdc++.a");
  const offered = symbolsOf(archive, "--defined-only");
  const used = symbolsOf(program, "-D").filter((name) => offered.includes(name));
  const source = `${library}.c`;
  writeFileSync(source, GNU_PARTS);
  const wanted = [...new Set(used)].map((name) => `-Wl,-u,${name}`);
  const parts = [source, archive, partOf("libgcc_eh.a"), partOf("libgcc.a")];
  run([gcc, "-shared", "-nostdlib", "-fPIC", "-O1", "-Wl,-soname,libstdc++.so.6", "-o", library, ...wanted, ...parts]);
}

/** The names of symbols, without versions. */
function symbolsOf(file: string, option: string): string[] {
  const lines = run(["nm", option, file]).split("\n");
  return lines.map((line) => line.replace(/^.* /, "").replace(/@.*$/, "")).filter((name) => name !== "");
}
