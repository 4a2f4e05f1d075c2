import { createHash } from "node:crypto";
import { html, raw } from "../../lib/text/html.ts";
import { htmlPage } from "../../lib/text/html-page.ts";
import { PAGE_STYLE } from "../../lib/text/page-style.ts";

const STYLE = `${PAGE_STYLE}
main { max-width: 70rem; margin: 0 auto; padding: 2rem 1rem 4rem }
h1 { margin: 0; font-size: 1.6rem }
h2 { margin: 2rem 0 .5rem; font-size: 1.1rem }
.wide { overflow-x: auto }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); text-align: left; font-weight: 400; white-space: nowrap }
thead th { color: var(--soft) }
.bad { color: var(--bad) }
input { padding: .5rem; border: 1px solid var(--soft); border-radius: 6px; background: var(--paper); color: var(--ink); font: inherit }
button { padding: .5rem .9rem; border: 1px solid var(--link); border-radius: 6px; background: var(--link); color: var(--paper); font: inherit }
`;

/** Requests /status every few seconds, with the token that the operator enters if the service wants one. */
const SCRIPT = `"use strict";
const at = (id) => document.getElementById(id);
const fill = (id, rows) => at(id).replaceChildren(...rows.map((cells) => {
  const row = document.createElement("tr");
  for (const cell of cells) {
    const one = document.createElement("td");
    one.textContent = cell;
    if (cell === "low" || cell === "unknown" || cell === "failed") one.className = "bad";
    row.append(one);
  }
  return row;
}));
let token = "";
const load = async () => {
  try {
    const response = await fetch("status", token ? { headers: { authorization: "Bearer " + token } } : {});
    at("log-in").hidden = response.status !== 401;
    at("figures").hidden = !response.ok;
    if (!response.ok) {
      at("state").textContent = response.status === 401 ? "Enter the token of the operator." : "The service responds with " + response.status + ".";
      return;
    }
    const { since, signers, callers, counts, settlements, resources = [] } = await response.json();
    at("state").textContent = "Runs since " + since + ".";
    fill("signers", signers.map((one) => [one.network, one.account, one.gas, one.state]));
    fill("callers", callers.map((one) => [one.name || "the operator's token, or none", String(one.verifications), String(one.settlements), String(one.limited)]));
    fill("counts", Object.entries(counts).map(([kind, count]) => [kind, String(count)]));
    fill("resources", resources.map(({ resource, verification: last }) => [resource, last ? (last.verified ? "verified" : "failed") : "not tried", last ? last.at : "", last ? last.result : ""]));
    fill("settlements", settlements.map((one) => [one.at, one.network, one.amount, one.result, one.transaction]));
  } catch {
    at("state").textContent = "The service does not respond.";
  }
};
at("log-in").addEventListener("submit", (event) => {
  event.preventDefault();
  token = at("token").value;
  void load();
});
void load();
setInterval(load, 5000);
`;

function sourceOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

const FIELDS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": `default-src 'none'; style-src ${sourceOf(STYLE)}; script-src ${sourceOf(SCRIPT)}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

function table(id: string, caption: string, heads: readonly string[]) {
  return html`<h2 id="${id}-title">${caption}</h2>
<div class="wide" tabindex="0" role="group" aria-labelledby="${id}-title"><table><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody id="${id}"></tbody></table></div>
`;
}

/** The status page of a facilitator service. It contains no figures: its script requests them. */
export function statusPage(): Response {
  const body = html`<main>
<h1>Facilitator</h1>
<p id="state" role="status">Loading.</p>
<form id="log-in" hidden><label for="token">Token</label> <input id="token" type="password" autocomplete="off"> <button>Show</button></form>
<div id="figures" hidden>
${table("signers", "Signers", ["Network", "Account", "Gas", "State"])}
${table("callers", "Callers", ["Name", "Verifications", "Settlements", "Beyond its rate"])}
${table("counts", "Calls", ["Result", "Number"])}
${table("resources", "Listed resources", ["Resource", "State", "Tried", "Result"])}
${table("settlements", "Last settlements", ["Time", "Network", "Amount", "Result", "Transaction"])}
</div>
</main>
<script>${raw(SCRIPT)}</script>`;
  const page = htmlPage({ title: "Turnpike facilitator", style: STYLE, isListed: false }, body);
  return new Response(page, { headers: FIELDS });
}
