import { describe, expect, test } from "bun:test";
import { signOfCode } from "./script-code.ts";

const NONE: readonly string[] = [];

describe("an external script that requests data without user action", () => {
  test.each([
    'fetch("/api/items").then(show)',
    "fetch('/data/prices.json')",
    "const r = await fetch(`https://site.test/v1/items/1`)",
    '$.getJSON("/rates/today", fill)',
    'axios.get("/api/list")',
    'const x = new XMLHttpRequest(); x.open("GET", "/feed/latest"); x.send()',
    'new EventSource("/live/scores")',
  ])("is found in %s", (script) => {
    expect(signOfCode(script, { names: NONE })).toBe("data-request");
  });

  test.each([
    ["sends something", 'fetch("/api/items", { method: "POST", body })'],
    ["asks for what is not shown", 'fetch("/api/session")'],
    ["asks when a person clicks", 'b.addEventListener("click", () => fetch("/api/items"))'],
    ["asks in a handler of a component", 'h("button", { onClick: () => fetch("/api/items") })'],
    ["asks in a handler that is given by name", 'function load(){fetch("/api/items")} h("button", { onClick: load })'],
    ["names an address and asks for nothing", 'const home = "/api/items"'],
    ["asks for nothing that is written out", "fetch(address)"],
    ["is a comment", '// fetch("/api/items")'],
    ["is empty", ""],
  ])("is not one that %s", (_what, script) => {
    expect(signOfCode(script, { names: NONE })).toBeUndefined();
  });
});

describe("an external script that fills an open place", () => {
  const names = ["price"];

  test.each(['document.querySelector("#price").textContent = 3', 'document.getElementById("price").innerHTML = html'])(
    "is found in %s",
    (script) => {
      expect(signOfCode(script, { names })).toBe("script-writes");
    },
  );

  test.each([
    ["names another place", 'document.querySelector("#prices-of-all").textContent = 3'],
    ["only reads it", 'const price = read("#price")'],
    ["writes when a person clicks", 'b.onclick = () => { document.querySelector("#price").textContent = 3 }'],
    ["is a long library", `${" ".repeat(120_001)}document.querySelector("#price").textContent = 3`],
  ])("is not one that %s", (_what, script) => {
    expect(signOfCode(script, { names })).toBeUndefined();
  });
});

test.each([
  ["brackets that do not end", `fetch("/api/items"${"(".repeat(100_000)}`],
  ["many handlers", 'x={onClick:f,};fetch("/api/items",{method:"POST"});'.repeat(2_000)],
  ["a string that does not end", `fetch("/api/items"); x = "${"a".repeat(100_000)}`],
])("%s are read", (_what, script) => {
  expect(["data-request", undefined]).toContain(signOfCode(script, { names: ["price"] }));
});
