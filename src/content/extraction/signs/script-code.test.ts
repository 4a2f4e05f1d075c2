import { afterEach, describe, expect, mock, spyOn, test } from "bun:test";
import { NO_PLACEHOLDERS } from "../tree/extraction.ts";
import { signOfCode } from "./script-code.ts";

function signIn(script: string, names: readonly string[] = [], lists: readonly string[] = []): string | undefined {
  return signOfCode(script, { ...NO_PLACEHOLDERS, names, lists })?.sign;
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
    'client.get("/items")',
    'const get = (u) => fetch(u).then((r) => r.json()); get("/tides").then(show)',
    'async function get(path){return (await fetch(`${base}${path}`)).json()} const rows = await get("/tides")',
    'const f=u=>fetch(u).then(r=>r.json());function Tides(){const{data}=useSWR("/tides",f)}Tides()',
    'f=async e=>{let t=await fetch(e);return t.json()};let{data:n}=(0,s.A)("/tides",f)',
  ])("is found in %s", (script) => {
    expect(signIn(script)).toBe("data-request");
  });

  test.each([
    ["sends something", 'fetch("/api/items", { method: "POST", body })'],
    ["asks for what is not shown", 'fetch("/api/session")'],
    ["asks when a person clicks", 'b.addEventListener("click", () => fetch("/api/items"))'],
    ["asks in a handler of a component", 'h("button", { onClick: () => fetch("/api/items") })'],
    [
      "asks in the nearest of two functions with one name, which a handler has",
      'function n(){return 1}n();const a=n(),n=async()=>{await fetch("/api/items")};h("button",{onClick:n})',
    ],
    ["asks in a handler that is given by name", 'function load(){fetch("/api/items")} h("button", { onClick: load })'],
    ["names an address and requests nothing", 'const home = "/api/items"'],
    [
      "asks in a function that only a handler calls",
      'function more(){fetch("/api/items")} b.addEventListener("click", more)',
    ],
    ["requests nothing that is written out", "fetch(address)"],
    ["loads a file by its own function", 'const get = (u) => fetch(u); get("/theme.css")'],
    ["asks for a session by its own function", 'const get = (u) => fetch(u); get("/auth/session")'],
    ["has its own function without a call", "const get = (u) => fetch(u); get(address)"],
    ["fills an index for a search", 'fetch("/data/index.json").then((d) => { index = new Fuse(d) })'],
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

describe("the characters of a script are examined a limited number of times", () => {
  afterEach(() => {
    mock.restore();
  });

  test.each([
    ["with 20,000 handlers that do not end", `${"x={onClick:()=>{".repeat(20_000)}fetch("/api/items")`],
    ["with 10,000 named handlers that do not end", `${"function f(){x={onClick:f,".repeat(10_000)}fetch("/api/items")`],
    ["with handlers in one another", `${"x={onClick:()=>{".repeat(7_000)}${"}};".repeat(7_000)}fetch("/api/items")`],
  ])("%s", (_what, script) => {
    const examined = spyOn(String.prototype, "charAt");
    signIn(script);
    expect(examined.mock.calls.length).toBeGreaterThan(0);
    expect(examined.mock.calls.length).toBeLessThan(script.length * 10);
  });
});

describe("an external script that replaces a text of the page", () => {
  const places = { ...NO_PLACEHOLDERS, texts: ["office", "data-day"], tags: ["output", "ol"] };

  test.each([
    'document.querySelector("a.office").textContent = address',
    'document.querySelectorAll(".office").forEach((a) => { a.href = to; a.innerText = to })',
    'document.querySelectorAll("[data-day]").forEach(function(n){n.innerHTML=f(n)})',
    'const all = document.getElementsByClassName("office"); for (let i = 0; i < all.length; i++) all[i].textContent = to',
    'for (const n of document.querySelectorAll("main .office")) n.replaceWith(to)',
    '$(".office").text(to)',
    '$(".office").each(function () { $(this).html(to) })',
    'const q = (s) => document.querySelector(s); q("#office").textContent = to',
    'document.querySelector("p > output").value = sum',
    'const list = document.querySelector("main > ol"); list.innerHTML = rows',
  ])("is found in %s", (script) => {
    expect(signOfCode(script, places)?.sign).toMatch(/^(?:script-writes|data-request)$/);
  });

  test.each([
    ["only reads it", 'const to = document.querySelector(".office").textContent'],
    ["marks it", 'document.querySelector(".office").classList.add("seen")'],
    ["replaces it when a person clicks", 'b.onclick=async()=>{document.querySelector(".office").textContent=to}'],
    ["marks it when it is seen", 'new IntersectionObserver(mark).observe(document.querySelector(".office"))'],
    ["writes the response elsewhere", "fetch(base + id).then((x) => { e.innerHTML = x })"],
    ["writes elsewhere", 'document.querySelector(".office-hours").textContent = to'],
    ["makes an element of that name", 'const n = h("ol"); n.textContent = to'],
  ])("is not one that %s", (_what, script) => {
    expect(signOfCode(script, places)).toBeUndefined();
  });
});

describe("an external script that adds to the page beside its named places", () => {
  test.each([
    ["document-write", 'document.write("<p>Lent on Fridays.</p>")'],
    ["script-writes", 'const me = document.currentScript; const b = document.createElement("div"); me.before(b)'],
    ["script-writes", 's.innerHTML = "<p>May I bring a dog?</p>"; document.body.insertBefore(s, footer)'],
  ])("has the sign %s in %s", (sign, script) => {
    expect(signIn(script)).toBe(sign);
  });

  test.each([
    "document.write(\"<script src='/a.js'><\\/script>\")",
    "const at = document.currentScript.src",
    's.className = "modal"; s.innerHTML = "<p>Join us</p>"; document.body.append(s)',
  ])("has none in %s", (script) => {
    expect(signIn(script)).toBeUndefined();
  });
});

test("an element that a script uses by its identifier alone is found", () => {
  expect(signIn("(()=>{walk.textContent=day})()", ["walk"])).toBe("script-writes");
  expect(signIn("all.map(walk=>{walk.textContent=day})", ["walk"])).toBeUndefined();
});

describe("an external script that gets data from elsewhere than a literal address", () => {
  const attribute = { ...NO_PLACEHOLDERS, addresses: ["data-rows-url"] };
  const write = "document.querySelector(`#${x.id}`).textContent = x.text";

  test.each([
    [attribute, `fetch(f.dataset.rowsUrl).then((x) => { ${write} })`],
    [attribute, `fetch(f.getAttribute("data-rows-url")).then((x) => { ${write} })`],
  ])("is found in %#", (places, script) => {
    expect(signOfCode(script, places)?.sign).toBe("data-request");
  });

  test.each([
    [NO_PLACEHOLDERS, `fetch(f.dataset.rowsUrl).then((x) => { ${write} })`],
    [attribute, "fetch(f.dataset.rowsUrl, { keepalive: true })"],
    [attribute, `f.onclick = () => { fetch(f.dataset.rowsUrl).then((x) => { ${write} }) }`],
    [NO_PLACEHOLDERS, `const s = new WebSocket(address); s.onmessage = (x) => { ${write} }`],
  ])("is not found in %#", (places, script) => {
    expect(signOfCode(script, places)).toBeUndefined();
  });
});

test.each([
  [
    'const s = new WebSocket("/x"); s.onmessage = (x) => { table.tBodies[0].insertRow().textContent = x.data }',
    ["tbody"],
  ],
  ['new Worker("/w.js").onmessage = (x) => { table.tBodies[0].innerHTML = x.data }', ["tbody"]],
  ['addEventListener("message", (x) => { frame.style.height = x.data })', undefined],
])("messages fill empty rows without a name in %s", (script, names) => {
  expect(signOfCode(script, { ...NO_PLACEHOLDERS, tags: ["tbody", "section"] })?.names).toEqual(names);
});

describe("an external script that uncovers a hidden part", () => {
  const places = { ...NO_PLACEHOLDERS, hidden: ["route"] };

  test.each([
    'document.querySelector("#route").style.removeProperty("display")',
    'const r = document.getElementById("route"); r.hidden = false',
    'const r = document.querySelector(".route"); const place = () => { r.hidden = !wide.matches }; place()',
    'for (const r of document.getElementsByClassName("route")) r.toggleAttribute("hidden", !modern)',
    'document.querySelectorAll(".route").forEach((r) => { r.style.display = "block" })',
    '$(".route").removeClass("closed").show()',
    '$("#route").css("display", "block")',
  ])("is found in %s", (script) => {
    expect(signOfCode(script, places)?.sign).toBe("script-writes");
  });

  test.each([
    'document.querySelector("#route").style.display = "none"',
    'document.querySelector("#other").hidden = false',
    'document.querySelector("#route").toggleAttribute("hidden", true)',
    'b.addEventListener("click", () => { document.querySelector("#route").hidden = false })',
  ])("is not found in %s", (script) => {
    expect(signOfCode(script, places)).toBeUndefined();
  });
});

describe("an external script that gets its address from the page's own code", () => {
  const write = "fetch(o.url).then((x) => { o.element.innerHTML = x })";

  test.each([
    ["an inline call", { passesAddress: true }, write],
    ["a JSON script", { configs: ["stock"] }, `const o = JSON.parse(document.querySelector("#stock").text); ${write}`],
    [
      "all data of an element",
      { addresses: ["data-feed-url"] },
      `o = { url: e.dataset.feedUrl, ...e.dataset }; ${write}`,
    ],
  ])("is found: %s", (_what, places, script) => {
    expect(signOfCode(script, { ...NO_PLACEHOLDERS, ...places })?.sign).toBe("data-request");
  });

  test.each([
    ["no request", { passesAddress: true }, "o.element.innerHTML = x"],
    ["a request that writes nothing", { passesAddress: true }, "fetch(o.url, { keepalive: true })"],
    ["another JSON script", { configs: ["stock"] }, `document.querySelector("#other"); ${write}`],
    ["other data", { addresses: ["data-source"] }, `s = $(e).data(); ${write}; s.title`],
  ])("is not found: %s", (_what, places, script) => {
    expect(signOfCode(script, { ...NO_PLACEHOLDERS, ...places })).toBeUndefined();
  });
});
