/** npm packages as users install them: packed, and unpacked into a folder with their dependencies. */
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { buildClient } from "../../support/client.ts";

const ROOT = join(import.meta.dir, "../../..");

const packed = z.tuple([
  z.object({
    filename: z.string(),
    size: z.number(),
    unpackedSize: z.number(),
    files: z.array(z.object({ path: z.string() })),
  }),
]);
const lockfile = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) });

export interface Packed {
  readonly tarball: string;
  /** Bytes of the package file. */
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly string[];
}

/** Packs the package in `folder` of the repository by `npm pack`, into `into`. */
export function pack(folder: string, into: string): Packed {
  buildClient();
  const command = ["npm", "pack", "--json", "--offline", "--ignore-scripts", "--pack-destination", into];
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: join(ROOT, folder) });
  if (exitCode !== 0) throw new Error(`Cannot pack ${folder}: ${stderr.toString()}`);
  const [{ filename, size, unpackedSize, files }] = packed.parse(JSON.parse(stdout.toString()));
  return { tarball: join(into, filename), size, unpackedSize, files: files.map(({ path }) => path) };
}

/**
 * Unpacks a package file into `folder/node_modules/NAME`. Tests have no network, so its dependencies are those that npm
 * installed here: `dependencies` if they are named, otherwise all except development dependencies.
 */
export function install(tarball: string, folder: string, name: string, dependencies?: readonly string[]): string {
  const modules = join(folder, "node_modules");
  const place = join(modules, name);
  mkdirSync(place, { recursive: true });
  const { exitCode, stderr } = Bun.spawnSync(["tar", "xzf", tarball, "-C", place, "--strip-components=1"]);
  if (exitCode !== 0) throw new Error(`Cannot unpack ${tarball}: ${stderr.toString()}`);
  for (const dependency of dependencies ?? productionPackages()) {
    const installed = join(ROOT, "node_modules", dependency);
    if (!existsSync(installed)) continue;
    mkdirSync(dirname(join(modules, dependency)), { recursive: true });
    symlinkSync(installed, join(modules, dependency));
  }
  return place;
}

function productionPackages(): string[] {
  const { packages } = lockfile.parse(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")));
  return Object.entries(packages).flatMap(([path, { dev }]) => {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    return name === undefined || dev === true ? [] : [name];
  });
}
