import { afterAll, afterEach, expect, jest, setDefaultTimeout, test } from "bun:test";
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patient } from "../../../../lib/testing/patience.ts";
import { until } from "../../../../lib/testing/until.ts";
import { DeniedPayers } from "./denied-payers.ts";

setDefaultTimeout(patient(20_000));

const folder = mkdtempSync(join(tmpdir(), "turnpike-denied-"));
const file = join(folder, "list");
const told: string[] = [];
const tell = (message: string): void => void told.push(message);
const readAgain = (count: number): string => `the lists of denied payers were read again: ${count} addresses`;

afterEach(() => void jest.useRealTimers());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function address(digit: string): string {
  return `0x${digit.repeat(40)}`;
}

async function open(text: string): Promise<DeniedPayers> {
  writeFileSync(file, text);
  const payers = await DeniedPayers.open([file], tell);
  payers.close();
  return payers;
}

const FORMS = {
  "lines with comments": `# OFAC\n${address("a")}\n`,
  JSON: JSON.stringify([address("a"), address("b")]),
  "the CSV of OFAC": `"SDN","Digital Currency Address - ETH ${address("a")}; alt. Digital Currency Address"\n`,
  "the XML of OFAC": `<idType>Digital Currency Address - ETH</idType><idNumber>${address("a")}</idNumber>`,
  "another letter case": `0x${"A".repeat(40)}`,
};

for (const [name, text] of Object.entries(FORMS)) {
  test(`addresses are found in ${name}`, async () => {
    const payers = await open(text);
    expect(payers.has(address("a"))).toBe(true);
    expect(payers.has(address("c"))).toBe(false);
  });
}

test("hashes and longer words are not taken for addresses, wherever a chunk ends", async () => {
  for (let shift = 0; shift < 80; shift++) {
    const filler = " ".repeat(262_144 - 100 + shift);
    const payers = await open(`${filler}0x${"d".repeat(64)} ${address("a")} x${address("e")}`);
    expect([payers.has(address("a")), payers.has(address("d")), payers.has(address("e"))]).toEqual([
      true,
      false,
      false,
    ]);
  }
  const long = await open(`0x${"d".repeat(600_000)} ${address("a")}`);
  expect([long.has(address("a")), long.has(address("d"))]).toEqual([true, false]);
});

test("a list without an address and an absent list are errors", async () => {
  expect(open("no address")).rejects.toThrow("it has no address of an EVM chain");
  expect(DeniedPayers.open([join(folder, "absent")], tell)).rejects.toThrow("ENOENT");
});

test("a changed list is read again, and the last list stays if that fails", async () => {
  const payers = await open(address("a"));
  told.length = 0;
  await payers.look();
  expect(told).toEqual([]);
  writeFileSync(file, `${address("b")}\n${address("c")}`);
  await payers.look();
  expect(told).toEqual([readAgain(2)]);
  expect([payers.has(address("a")), payers.has(address("b"))]).toEqual([false, true]);
  writeFileSync(file, "broken");
  await payers.look();
  rmSync(file);
  await payers.look();
  expect(told[1]).toContain("it has no address");
  expect(told[2]).toContain("ENOENT");
  expect(payers.has(address("b"))).toBe(true);
});

test("addresses of Solana are found, and other words of their length are not", async () => {
  const solana = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
  const other = "z".repeat(44);
  const payers = await open(`digest ${other}, payer ${solana}`);
  expect([payers.has(solana), payers.has(other), payers.has(solana.toLowerCase())]).toEqual([true, false, false]);
  expect(open(`digest ${other}`)).rejects.toThrow("it has no address of an EVM chain or of Solana");
});

test("a list above a gibibyte is not read", async () => {
  writeFileSync(file, `${address("a")}\n`);
  truncateSync(file, 1_073_741_825);
  expect(DeniedPayers.open([file], tell)).rejects.toThrow("it has more than 1073741824 bytes");
});

test("all lists together have a million addresses at most", () => {
  const second = join(folder, "second");
  const digits = Array.from({ length: 1_000_000 }, (_, i) => `0x${i.toString(16).padStart(40, "0")}`);
  writeFileSync(file, digits.join("\n"));
  writeFileSync(second, address("a"));
  const error = `Cannot use the list "${second}": it has too many addresses`;
  expect(DeniedPayers.open([file, second], tell)).rejects.toThrow(error);
});

test("the files are looked at each minute, by one look at a time, until the end", async () => {
  writeFileSync(file, address("a"));
  jest.useFakeTimers();
  const payers = await DeniedPayers.open([file], tell);
  told.length = 0;
  writeFileSync(file, `${address("b")} ${address("c")}`);
  jest.advanceTimersByTime(59_999);
  expect(payers.has(address("b"))).toBe(false);
  jest.advanceTimersByTime(1);
  await payers.look();
  jest.useRealTimers();
  await until(() => told.length > 0);
  expect([told, payers.has(address("b"))]).toEqual([[readAgain(2)], true]);
  await payers.look();
  expect(told).toEqual([readAgain(2)]);
  payers.close();
});

test("a closed list is not looked at", async () => {
  jest.useFakeTimers();
  await open(address("a"));
  expect(jest.getTimerCount()).toBe(0);
});

test("a list that is still being written is not used", async () => {
  const payers = await open(`${address("a")}\n${address("b")}\n`);
  told.length = 0;
  // Reading so long a file takes longer than one write.
  writeFileSync(file, `${address("a")}\n`.padEnd(8_000_000));
  const over = payers.look().then(() => true);
  const writing = async (): Promise<false> => {
    appendFileSync(file, "\n");
    await new Promise(setImmediate);
    return false;
  };
  while (!(await Promise.race([over, writing()])));
  expect(told).toEqual([expect.stringContaining("changed while it was read")]);
  expect(payers.has(address("b"))).toBe(true);
  appendFileSync(file, address("b"));
  await payers.look();
  expect(told[1]).toBe(readAgain(2));
});
