import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Entries that a copy lacks, or has as links. */
const LEFT_OUT = new Set([".git", "node_modules", ".turnpike"]);

/** A folder in which mutants run. */
export interface Tree {
  readonly folder: string;
  write(file: string, text: string): void;
}

/** A copy of the project in which one file at a time is changed. */
export class MutantTree implements Tree {
  readonly folder = mkdtempSync(join(tmpdir(), "turnpike-mutation-"));

  constructor() {
    for (const part of readdirSync(".")) {
      if (!LEFT_OUT.has(part)) cpSync(part, join(this.folder, part), { recursive: true });
    }
    symlinkSync(join(process.cwd(), "node_modules"), join(this.folder, "node_modules"));
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
