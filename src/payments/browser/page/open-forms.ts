import { make } from "./elements.ts";
import { DATA_ID, type PageData } from "../page-data.ts";
import { type PaidRequest, PaymentPanel, type PanelOptions } from "./payment-panel.ts";
import { showBody } from "./show.ts";
import { decode } from "./header.ts";
import { member } from "./member.ts";
import { type Wallet } from "./wallet.ts";
import { type PaymentRequired } from "../../x402/messages.ts";

/** The parts of a panel that depend on the mode. `testWallet` pays without a question. */
export interface Mode extends Pick<PanelOptions, "findWallets"> {
  readonly testWallet?: Wallet;
}

/** The data that the server wrote into the page. */
function pageData(): PageData {
  return JSON.parse(document.getElementById(DATA_ID)?.textContent ?? "") as PageData;
}

/** Opens the panel of a challenge's page, and the forms of a documentation page. */
export function openForms(mode: Mode): void {
  const data = pageData();
  const mount = document.getElementById("pay");
  if (mount !== null && data.required !== undefined) openPanel(mount, { ...data, required: data.required }, mode);
  for (const form of document.querySelectorAll<HTMLFormElement>("form.try")) openForm(form, data, mode);
}

/** The page of a challenge: the request was the page's own. */
function openPanel(mount: HTMLElement, data: PageData & { readonly required: PaymentRequired }, mode: Mode): void {
  const place = location.pathname + location.search;
  const key = `turnpike payment ${place}`;
  const panel = new PaymentPanel({
    data,
    required: data.required,
    // A path that begins with two slashes would name another host.
    request: { method: "GET", url: location.origin + place },
    findWallets: mode.findWallets,
    isTest: mode.testWallet !== undefined,
    kept: kept(key),
    keep: (header) => keep(key, header),
  });
  panel.open(mount);
}

/** Keeps a payment over a reload. A browser without this storage forgets it with the page. */
function keep(key: string, header: string | undefined): void {
  try {
    if (header === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, header);
  } catch {
    // The browser denies the storage.
  }
}

function kept(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** A form that sends a request to this origin, and lets the person pay for it. */
function openForm(form: HTMLFormElement, data: PageData, mode: Mode): void {
  const output = form.querySelector<HTMLElement>(".pay");
  const submit = form.querySelector("button");
  const { method = "POST", path = "" } = form.dataset;
  if (output === null || submit === null) return;
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const body = form.querySelector("textarea")?.value;
    const request: PaidRequest = {
      method,
      url: path,
      ...(body === undefined ? {} : { body, headers: { "content-type": "application/json" } }),
    };
    submit.disabled = true;
    output.replaceChildren(told("Working…"));
    void tryRequest(request, output, { data, mode }).finally(() => (submit.disabled = false));
  });
}

function told(text: string, className = ""): HTMLElement {
  const line = make("p", text, `told ${className}`);
  line.setAttribute("role", "status");
  return line;
}

/** The detail of a problem document, or the whole text. */
function formText(body: string): string {
  try {
    const detail = member(JSON.parse(body), "detail");
    return typeof detail === "string" ? detail : body;
  } catch {
    return body;
  }
}

async function tryRequest(
  request: PaidRequest,
  output: HTMLElement,
  { data, mode }: { readonly data: PageData; readonly mode: Mode },
): Promise<void> {
  try {
    const { url, ...init } = request;
    const response = await fetch(url, { ...init, cache: "no-store", redirect: "manual" });
    const required = decode(response.headers.get("payment-required"));
    output.replaceChildren();
    if (response.status === 402 && Array.isArray(member(required, "accepts"))) {
      const panel = new PaymentPanel({
        data,
        // The gateway of this page wrote it.
        required: required as PaymentRequired,
        request,
        findWallets: mode.findWallets,
        isTest: mode.testWallet !== undefined,
      });
      panel.open(output);
      if (mode.testWallet !== undefined) await panel.pay(mode.testWallet);
    } else if (response.ok) {
      const result = make("div", "", "result");
      output.append(told("The response cost nothing.", "good"), result);
      await showBody(response, result);
    } else {
      output.append(told(`${response.status}: ${formText(await response.text())}`, "bad"));
    }
  } catch {
    output.replaceChildren(told("No response came. Nothing was paid.", "bad"));
  }
}
