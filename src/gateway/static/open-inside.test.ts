import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openInside, resolveRoot } from "./open-inside.ts";

let folder: string;
let root: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "turnpike-open-")));
  root = join(folder, "root");
  mkdirSync(join(root, "sub"), { recursive: true });
  writeFileSync(join(root, "inside.txt"), "inside");
  writeFileSync(join(folder, "outside.txt"), "outside");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The content of the file, or the reason why it cannot be read. */
function contentOf(path: string, within = root): string {
  const found = openInside(within, path);
  if (found.kind !== "file") return found.kind;
  try {
    return readFileSync(found.fd, "utf8");
  } finally {
    closeSync(found.fd);
  }
}

test("files below the root are opened, through links as well", () => {
  symlinkSync("../inside.txt", join(root, "sub/link.txt"));
  expect(contentOf(join(root, "inside.txt"))).toBe("inside");
  expect(contentOf(join(root, "sub/link.txt"))).toBe("inside");
  expect(contentOf(join(root, "sub"))).toBe("directory");
  expect(contentOf(root)).toBe("directory");
  expect(contentOf(join(root, "absent"))).toBe("absent");
});

test("a folder whose name only begins like the root's is outside, and everything is inside of /", () => {
  mkdirSync(`${root}-beside`);
  writeFileSync(`${root}-beside/file.txt`, "beside");
  expect(contentOf(`${root}-beside/file.txt`)).toBe("absent");
  expect(contentOf(`${root}-beside/file.txt`, "/")).toBe("beside");
});

test("a link that turns between inside and outside at the worst moments never shows the outside", async () => {
  const link = join(root, "turning.txt");
  const turn = `
    import { renameSync, symlinkSync } from "node:fs";
    for (let n = 0; ; n++) {
      symlinkSync(n % 2 === 0 ? "../outside.txt" : "inside.txt", ${JSON.stringify(`${link}.new`)});
      renameSync(${JSON.stringify(`${link}.new`)}, ${JSON.stringify(link)});
    }`;
  const turner = Bun.spawn([process.execPath, "-e", turn], { stdio: ["ignore", "ignore", "inherit"] });
  try {
    const counts: Record<string, number> = { inside: 0, absent: 0 };
    const deadline = performance.now() + 10_000;
    // Until the link was met both ways often enough.
    while (Math.min(...Object.values(counts)) < 1000 && performance.now() < deadline) {
      const content = contentOf(link);
      counts[content] = (counts[content] ?? 0) + 1;
    }
    expect(Object.keys(counts)).toEqual(["inside", "absent"]);
    expect(counts["inside"]).toBeGreaterThan(100);
  } finally {
    turner.kill();
    await turner.exited;
  }
});

test("a root is a folder that can be read, by its real path", () => {
  symlinkSync("root", join(folder, "current"));
  expect(resolveRoot(join(folder, "current"))).toBe(root);
  expect(() => resolveRoot(join(folder, "none"))).toThrow("there is no such directory");
  expect(() => resolveRoot(join(root, "inside.txt"))).toThrow("it is not a directory");
});
