import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PAYEE, PAYER, USDC } from "../../testing/payment.ts";
import { type Channel, ChannelFile, channelsPath, liveAmount, unspentOf, without } from "./channel-file.ts";

const NOW = 1_800_000_000_000;
const MOST = 1000;

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** The path of a folder that does not exist yet. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-channels-"));
  folders.push(folder);
  return channelsPath(join(folder, "wallet.json"));
}

function word(n: number): `0x${string}` {
  return `0x${n.toString(16).padStart(64, "0")}`;
}

function channel(n: number, change: Partial<Channel> = {}): Channel {
  return {
    id: word(n),
    network: "eip155:84532",
    config: {
      payer: PAYER,
      payerAuthorizer: PAYER,
      receiver: PAYEE,
      receiverAuthorizer: PAYEE,
      token: USDC,
      withdrawDelay: 900,
      salt: word(n),
    },
    symbol: "USDC",
    decimals: 6,
    url: "http://shop.test/",
    method: "GET",
    balance: "5",
    charged: "0",
    signed: "0",
    open: "0",
    ...change,
  };
}

const SPENT = { charged: "5" } as const;
const ids = (channels: readonly Channel[]): number[] => channels.map(({ id }) => Number(id));

test("processes of one wallet see each other's changes, and only their owner can read them", () => {
  const folder = newFolder();
  const [one, two] = [new ChannelFile(folder, () => NOW), new ChannelFile(folder, () => NOW)];
  expect(one.channels()).toEqual([]);
  one.change((channels) => [...channels, channel(1)]);
  two.change((channels) => [...channels, channel(2)]);
  one.update(word(2), (found) => ({ ...found, charged: "3" }));
  expect(two.channels()).toEqual([channel(1), channel(2, { charged: "3" })]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("a change that returns the same list writes nothing", () => {
  const folder = newFolder();
  const file = new ChannelFile(folder, () => NOW);
  file.change(() => [channel(1)]);
  file.change((channels) => channels);
  expect(readdirSync(folder)).toEqual(["1.json"]);
});

test.each([
  ["one state", 1, 0],
  ["the first states, and removed some", 34, 0],
  ["later states, and removed some", 34, 1],
])("a change is made again if another process was faster by %s", (_what, states, before) => {
  const folder = newFolder();
  const [slow, fast] = [new ChannelFile(folder, () => NOW), new ChannelFile(folder, () => NOW)];
  for (let i = 0; i < before; i++) fast.change((known) => [...known, channel(50 + i)]);
  let attempts = 0;
  slow.change((channels) => {
    const faster = attempts === 0 ? states : 0;
    attempts += 1;
    for (let i = 0; i < faster; i++) fast.change((known) => [...known, channel(100 + i)]);
    return [...channels, channel(1)];
  });
  expect([attempts, slow.channels().length, ids(fast.channels()).at(-1)]).toEqual([2, before + states + 1, 1]);
});

test("the last 32 states before the current one are kept", () => {
  const folder = newFolder();
  const file = new ChannelFile(folder, () => NOW);
  for (let i = 1; i <= 35; i++) file.change(() => [channel(i)]);
  const kept = readdirSync(folder)
    .map((name) => Number.parseInt(name, 10))
    .toSorted((a, b) => a - b);
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([33, 3, 35]);
});

const openFiles = (): number => readdirSync("/dev/fd").length;

test("changes leave no file open", () => {
  const file = new ChannelFile(newFolder(), () => NOW);
  file.change(() => [channel(1)]);
  const before = openFiles();
  for (let i = 2; i <= 6; i++) file.change(() => [channel(i)]);
  expect(openFiles()).toBe(before);
});

test("a change gives up after a hundred attempts of other processes", () => {
  const folder = newFolder();
  const [slow, fast] = [new ChannelFile(folder, () => NOW), new ChannelFile(folder, () => NOW)];
  let attempts = 0;
  const change = (): void =>
    slow.change((channels) => {
      attempts += 1;
      fast.change(() => [channel(attempts)]);
      return [...channels];
    });
  expect(change).toThrow(`Cannot keep the wallet's channels in "${folder}": other processes change them`);
  expect(attempts).toBe(100);
});

test("a damaged state is refused, and stays", () => {
  const folder = newFolder();
  const file = new ChannelFile(folder, () => NOW);
  file.change(() => [channel(1)]);
  const path = join(folder, "2.json");
  writeFileSync(path, "{");
  const refusal = `Cannot use the channels in "${path}": damaged`;
  expect(() => file.channels()).toThrow(refusal);
  expect(() => file.change(() => [])).toThrow(refusal);
  expect(readFileSync(path, "utf8")).toBe("{");
});

test("a folder that cannot be read or written is an error of the payment, with its code", () => {
  const folder = newFolder();
  writeFileSync(folder, "a file");
  const refusal = `Cannot keep the wallet's channels in "${folder}": ENOTDIR`;
  expect(() => new ChannelFile(folder).channels()).toThrow(refusal);
  const inFile = join(folder, "channels");
  expect(() => new ChannelFile(inFile).change(() => [channel(1)])).toThrow(
    `Cannot keep the wallet's channels in "${inFile}": ENOTDIR`,
  );
  // A folder in which no user can create a file.
  expect(() => new ChannelFile("/proc/self").change(() => [channel(1)])).toThrow(
    `Cannot keep the wallet's channels in "/proc/self": ENOENT`,
  );
});

function full(change: (n: number) => Partial<Channel>): Channel[] {
  return Array.from({ length: MOST }, (_, n) => channel(n, change(n)));
}

describe("a wallet with a thousand channels", () => {
  test("drops its oldest spent ones for new ones", () => {
    const file = new ChannelFile(newFolder(), () => NOW);
    const spent = new Set([3, 5, 7]);
    const channels = full((n) => (spent.has(n) ? SPENT : {}));
    file.change(() => channels);
    expect(file.channels()).toHaveLength(MOST);
    file.change((known) => [...known, channel(2001), channel(2002)]);
    const kept = ids(file.channels());
    expect(kept).toHaveLength(MOST);
    expect([3, 5, 7, 2001, 2002].map((n) => kept.includes(n))).toEqual([false, false, true, true, true]);
  });

  test.each<[string, Partial<Channel>]>([
    ["has money", {}],
    ["has a request without an outcome", { ...SPENT, open: "1" }],
    ["is in use", { ...SPENT, busy: { pid: 1, until: NOW, key: "k" } }],
    ["may get a deposit", { ...SPENT, deposit: { amount: "1", expires: NOW / 1000 } }],
    ["may get a refused deposit", { ...SPENT, refused: { amount: "1", expires: NOW / 1000 } }],
  ])("opens no further one while each %s", (_what, change) => {
    const file = new ChannelFile(newFolder(), () => NOW);
    const channels = full(() => change);
    expect(() => file.change(() => [...channels, channel(MOST)])).toThrow(
      "Cannot open a channel: the wallet has 1000 of them",
    );
    expect(file.channels()).toEqual([]);
  });
});

test("a signed deposit counts until a minute after its expiry", () => {
  const signed = { amount: "7", expires: NOW / 1000 };
  const counts = [NOW, NOW + 60_000, NOW + 60_001].map((now) => liveAmount(signed, now));
  expect([...counts, liveAmount(undefined, NOW)]).toEqual([7n, 7n, 0n, 0n]);
});

test("the unspent money is what was not charged, and deposits that can still be made", () => {
  const live = { amount: "10", expires: NOW / 1000 };
  const rest = [
    channel(1, { charged: "2" }),
    channel(1, { charged: "6" }),
    channel(1, { charged: "6", deposit: live }),
    channel(1, { charged: "2", deposit: live, refused: { ...live, amount: "100" } }),
  ].map((one) => unspentOf(one, NOW));
  expect(rest).toEqual([3n, 0n, 10n, 113n]);
  const busy = channel(1, { busy: { pid: 1, until: NOW, key: "k" } });
  expect([without(busy, "busy"), busy.busy?.pid]).toEqual([channel(1), 1]);
});
