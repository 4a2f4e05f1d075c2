import { afterEach, beforeEach, expect, test } from "bun:test";
import { constants, mkdtempSync, openSync, readFileSync, readSync, rmSync, statSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FixedText } from "../memory/fixed-text.ts";
import { smallDisk } from "../testing/small-disk.ts";
import { watchTimers } from "../testing/timers.ts";
import { until } from "../testing/until.ts";
import { type LineTarget, LineWriter } from "./line-writer.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-test-"));
  path = join(folder, "log");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Makes a named pipe at `path`, and opens its reading end without blocking. */
function pipe(): number {
  expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
  return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
}

/** The content of the pipe; undefined once no writer has it open. */
function readSome(fd: number): string | undefined {
  const bytes = Buffer.alloc(65_536);
  try {
    const length = readSync(fd, bytes);
    return length === 0 ? undefined : bytes.toString("latin1", 0, length);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAGAIN") return "";
    throw error;
  }
}

let dropped = 0;
/** Reports of the writer, in order. */
let told: string[] = [];

function open(target: LineTarget): Promise<LineWriter> {
  dropped = 0;
  told = [];
  return LineWriter.open(target, {
    dropped(lines) {
      dropped += lines;
    },
    fails: (code) => void told.push(code),
    givenUp: () => {},
    recovered: () => void told.push("recovered"),
  });
}

function add(writer: LineWriter, text: string): void {
  const line = writer.begin();
  if (line === undefined) return;
  line.text(text);
  writer.end();
}

test("lines are appended to the file in order, and closing writes the last ones", async () => {
  await Bun.write(path, "before\n");
  const writer = await open({ file: path });
  const lines = Array.from({ length: 5000 }, (_, i) => `line ${i} ${"x".repeat(i % 50)}`);
  for (const line of lines) add(writer, line);
  await writer.close();
  expect(readFileSync(path, "utf8")).toBe(`before\n${lines.join("\n")}\n`);
  expect(dropped).toBe(0);
});

test("the longest lines that a request head can cause are not lost among others", async () => {
  const writer = await open({ file: path });
  const longest = "\u0080".repeat(32_768);
  let size = 0;
  for (let before = 0; before < 200; before += 10) {
    for (let n = 0; n < before; n++) add(writer, "x".repeat(1999));
    writer.begin()?.json(new FixedText(""), longest);
    writer.end();
    size += before * 2000 + 6 * longest.length + 3;
    // The bytes of the current write count as well.
    await until(() => statSync(path).size === size || dropped > 0);
    // The bytes are in the file before the writer learns of it. The same threads do this work later.
    for (let turn = 0; turn < 4; turn++) await stat(path);
  }
  await writer.close();
  expect(dropped).toBe(0);
});

test("if writing a line throws, the line is left out, and the lines after it are intact", async () => {
  const writer = await open({ file: path });
  add(writer, "one");
  writer.begin()?.text("half");
  add(writer, "two");
  writer.begin()?.text("half");
  await writer.close();
  expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
  expect(dropped).toBe(0);
});

test("a line does not wait for others to be written", async () => {
  const writer = await open({ file: path });
  add(writer, "alone");
  for (let i = 0; i < 500 && readFileSync(path, "utf8") === ""; i++) await Bun.sleep(10);
  expect(readFileSync(path, "utf8")).toBe("alone\n");
  await writer.close();
});

test("lines that come during a write wait for more", async () => {
  using _ = watchTimers((ms) => ms * 10_000);
  const writer = await open({ file: path });
  add(writer, "one");
  writer.flush();
  add(writer, "two");
  await until(() => readFileSync(path, "utf8") !== "");
  for (let looks = 0; looks < 10; looks++) await stat(path);
  expect(readFileSync(path, "utf8")).toBe("one\n");
  await writer.close();
  expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
});

test("a file that cannot be opened gives an error at once", async () => {
  const opened = open({ file: join(folder, "absent", "log") });
  expect(await opened.then(() => "", String)).toContain("ENOENT");
});

test("lines for a closed writer are counted as dropped, and a second close does nothing", async () => {
  const writer = await open({ file: path });
  await writer.close();
  add(writer, "late");
  await writer.close();
  expect([dropped, readFileSync(path, "utf8")]).toEqual([1, ""]);
});

test("lines that a full pipe cannot take are dropped and counted, and the others arrive complete", async () => {
  const fd = pipe();
  const writer = await open({ file: path });
  const line = "x".repeat(999);
  for (let i = 0; i < 4000; i++) add(writer, line);
  expect(dropped).toBeGreaterThan(1000);
  expect(dropped).toBeLessThan(3999);
  const closed = writer.close();
  let text = "";
  for (let piece: string | undefined = ""; piece !== undefined; piece = readSome(fd)) {
    text += piece;
    if (piece === "") await Bun.sleep(1);
  }
  await closed;
  expect(text).toBe(`${line}\n`.repeat(4000 - dropped));
});

test("closing waits only for a limited time for a full pipe, and counts the lost lines", async () => {
  const fd = pipe();
  const writer = await open({ file: path });
  for (let i = 0; i < 300; i++) add(writer, "x".repeat(999));
  await writer.close();
  expect(dropped).toBeGreaterThan(100);
  // Lets the pending write end.
  while (readSome(fd) !== undefined) await Bun.sleep(1);
});

test("lines that a broken target refuses are all counted", async () => {
  const writer = await open({ file: "/dev/full" });
  for (let i = 0; i < 100; i++) add(writer, "x");
  await writer.close();
  expect(dropped).toBe(100);
});

test("a full device is reported once, and its lines are counted", async () => {
  const writer = await open({ file: "/dev/full" });
  for (let i = 1; i <= 3; i++) {
    add(writer, `line ${i}`);
    await until(() => dropped === i);
  }
  expect(told).toEqual(["ENOSPC"]);
  await writer.close();
});

test("after a full disk the file goes on with complete lines, and lost lines are counted", async () => {
  using disk = smallDisk("64k");
  if (!disk.isMounted) return;
  const file = join(disk.path, "log");
  const writer = await open({ file });
  const filler = join(disk.path, "filler");
  writeFileSync(filler, Buffer.alloc(40_000));
  let added = 0;
  for (; told.length === 0; added++) {
    add(writer, `${added} ${"x".repeat(997)}`);
    // Each line is written by itself, so that one of them fits only in part.
    if (added % 3 === 0) await Bun.sleep(0);
    if (added > 200) await until(() => dropped > 0);
  }
  expect(told).toEqual(["ENOSPC"]);
  rmSync(filler);
  await until(() => {
    add(writer, "after");
    return told.includes("recovered");
  });
  await writer.close();
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const whole = lines.filter((line) => line.length >= 999 && line.endsWith("x".repeat(997))).length;
  expect(lines.filter((line) => line === "after").length).toBeGreaterThan(0);
  expect(whole + dropped).toBe(added);
  expect(told).toEqual(["ENOSPC", "recovered"]);
});
