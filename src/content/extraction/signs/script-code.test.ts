import { describe, expect, test } from "bun:test";
import { signOfCode } from "./script-code.ts";

function signIn(script: string, names: readonly string[] = [], lists: readonly string[] = []): string | undefined {
  return signOfCode(script, { names, lists })?.sign;
}

describe("an external script that requests data without user action", () => {
  test.each([
    'fetch("/api/items").then(show)',
    "fetch('/data/prices.json')",
    "const r = await fetch(`https://site.test/v1/items/1`)",
    '$.getJSON("/rates/today", fill)',
    'axios.get("/api/list")',
    'const x = new XMLHttpRequest(); x.open("GET", "/feed/latest"); x.send()',
    'new EventSource("/live/scores")',
    'fetch(BASE + "/items")',
    "fetch(`${base}/items`)",
  ])("is found in %s", (script) => {
    expect(signIn(script)).toBe("data-request");
  });

  test.each([
    ["sends something", 'fetch("/api/items", { method: "POST", body })'],
    ["asks for what is not shown", 'fetch("/api/session")'],
    ["asks when a person clicks", 'b.addEventListener("click", () => fetch("/api/items"))'],
    ["asks in a handler of a component", 'h("button", { onClick: () => fetch("/api/items") })'],
    ["asks in a handler that is given by name", 'function load(){fetch("/api/items")} h("button", { onClick: load })'],
    ["names an address and asks for nothing", 'const home = "/api/items"'],
    [
      "asks in a function that only a handler calls",
      'function more(){fetch("/api/items")} b.addEventListener("click", more)',
    ],
    ["asks for nothing that is written out", "fetch(address)"],
    ["is a comment", '// fetch("/api/items")'],
    ["is empty", ""],
  ])("is not one that %s", (_what, script) => {
    expect(signIn(script)).toBeUndefined();
  });
});

describe("an external script that fills an open place", () => {
  const names = ["price"];

  test.each(['document.querySelector("#price").textContent = 3', 'document.getElementById("price").innerHTML = html'])(
    "is found in %s",
    (script) => {
      expect(signIn(script, names)).toBe("script-writes");
    },
  );

  test.each([
    ["names another place", 'document.querySelector("#prices-of-all").textContent = 3'],
    ["only reads it", 'const price = read("#price")'],
    ["writes when a person clicks", 'b.onclick = () => { document.querySelector("#price").textContent = 3 }'],
    ["is a long library", `${" ".repeat(120_001)}document.querySelector("#price").textContent = 3`],
  ])("is not one that %s", (_what, script) => {
    expect(signIn(script, names)).toBeUndefined();
  });
});

test("a component that the page has without its tree is found in the script that defines it", () => {
  const script = 'customElements.define("tide-table", class { constructor() { this.attachShadow({ mode: "open" }) } })';
  expect(signIn(script, ["tide-table"])).toBe("shadow-root");
  expect(signIn(script, ["wind-table"])).toBeUndefined();
});

describe("an external script that appends to a list", () => {
  const lists = ["notes"];

  test.each([
    'for (const n of all) { const li = document.createElement("li"); document.getElementById("notes").append(li) }',
    '$("<li/>").text(t).appendTo("#notes")',
    'document.querySelector(".notes").insertAdjacentHTML("beforeend", all.map((n) => `<li>${n}</li>`).join(""))',
    's.innerHTML = "<h2>Finds</h2>"; document.querySelector("main").append(s)',
  ])("is found in %s", (script) => {
    expect(signIn(script, [], lists)).toBe("script-writes");
  });

  test.each([
    ["appends elsewhere", 'banner.innerHTML = "<p>Cookies</p>"; document.body.append(banner)'],
    ["adds a button", 'document.querySelector("#notes").append(document.createElement("button"))'],
    [
      "appends when a person clicks",
      'function add(n) { const li = document.createElement("li"); document.getElementById("notes").append(li) }' +
        ' function more() { add(1) } b.addEventListener("click", more)',
    ],
  ])("is not one that %s", (_what, script) => {
    expect(signIn(script, [], lists)).toBeUndefined();
  });
});

test.each([
  ["brackets that do not end", `fetch("/api/items"${"(".repeat(100_000)}`],
  ["many handlers", 'x={onClick:f,};fetch("/api/items",{method:"POST"});'.repeat(2_000)],
  ["a string that does not end", `fetch("/api/items"); x = "${"a".repeat(100_000)}`],
])("%s are read", (_what, script) => {
  expect(["data-request", undefined]).toContain(signIn(script, ["price"]));
});
