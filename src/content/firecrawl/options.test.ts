import { expect, test } from "bun:test";
import { file } from "bun";
import { OPTIONS } from "./options.ts";

test("the guide lists every option, and the values of refused ones that are accepted", async () => {
  const guide = await file(new URL("../../../docs/guides/firecrawl.md", import.meta.url)).text();
  for (const [name, { supported, refused }] of Object.entries(OPTIONS)) {
    const row = guide.split("\n").find((line) => line.startsWith(`| \`${name}\` `));
    const [, , first = "", second = ""] = row?.split("|") ?? [];
    const refusals = Object.entries(refused).map(([option, values]) => {
      const accepted = values.length === 0 ? "" : ` (${values.map((value) => JSON.stringify(value)).join(", ")})`;
      return `\`${option}\`${accepted}`;
    });
    const own = first.trim().replace("As `/scrape` without `url`, and ", "");
    expect([name, own]).toEqual([name, supported.map((option) => `\`${option}\``).join(", ")]);
    expect([name, second.trim().replace("As `/scrape`, and ", "")]).toEqual([name, refusals.join(", ")]);
  }
});
