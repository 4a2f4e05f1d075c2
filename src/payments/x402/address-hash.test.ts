import { expect, test } from "bun:test";
import { type Address } from "./address.ts";
import { checksumAddress, hasBadChecksum } from "./address-hash.ts";

/** The examples of EIP-55. */
const EXAMPLES: readonly Address[] = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0xde709f2102306220921060314715629080e2fb77",
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
];

test("the letter case of the examples of EIP-55 is their checksum", () => {
  for (const address of EXAMPLES) {
    const upper: Address = `0x${address.slice(2).toUpperCase()}`;
    expect([checksumAddress(address), checksumAddress(upper)]).toEqual([address, address]);
  }
});

test("an address is mistyped if its letter case is mixed and is not its checksum, also when it is asked about again", () => {
  const [good, other, mistyped] = [
    EXAMPLES[2] ?? "0x",
    EXAMPLES[3] ?? "0x",
    `${EXAMPLES[2]?.slice(0, -1)}c` as Address,
  ];
  const asked = [good, mistyped, mistyped, good, good, mistyped, other, other];
  expect(asked.map(hasBadChecksum)).toEqual([false, true, true, false, false, true, false, false]);
  for (const digits of [mistyped.toLowerCase().slice(2), mistyped.toUpperCase().slice(2)]) {
    expect(hasBadChecksum(`0x${digits}`)).toBe(false);
  }
});
