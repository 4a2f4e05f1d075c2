/** The admin console of a real gateway in a real browser, as operators see it. */
import { type ElementHandle, type Page } from "puppeteer-core";
import { until } from "../../src/lib/testing/until.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { dress, type Scheme, startBrowser, type TestBrowser } from "./browser.ts";
import { type Gateway, startGateway } from "./gateway.ts";

export const FULL_KEY = "full-key-0123456789abcdef0123456789abcdef";
export const READ_KEY = "read-key-0123456789abcdef0123456789abcdef";

/** `admin` of a configuration with both keys, on a free port. */
export const ADMIN = { enabled: true, port: 0, api_key: FULL_KEY, read_api_key: READ_KEY };

const LOOK_MS = 8_000;
const SEEN_MS = patient(LOOK_MS);

/** One gateway, one browser, and any number of operators. */
export class ConsoleRig {
  readonly gateway: Gateway;
  readonly url: string;
  readonly #browser: TestBrowser;
  readonly #isOwnBrowser: boolean;

  private constructor(gateway: Gateway, url: string, browser: TestBrowser, isOwnBrowser: boolean) {
    this.gateway = gateway;
    this.url = url;
    this.#browser = browser;
    this.#isOwnBrowser = isOwnBrowser;
  }

  static async start(config: Parameters<typeof startGateway>[0], browser?: TestBrowser): Promise<ConsoleRig> {
    const gateway = await startGateway({ admin: ADMIN, ...config });
    const url = await adminUrl(() => gateway.output());
    return new ConsoleRig(gateway, url, browser ?? (await startBrowser()), browser === undefined);
  }

  /** An operator in a separate browser context. */
  async operator(options?: { width?: number; scheme?: Scheme }): Promise<Operator> {
    return await Operator.open(this.#browser, this.url, options);
  }

  /** Sends a request to the admin interface, as a script does. */
  async ask(path: string, init: { method?: string; body?: unknown } = {}): Promise<Response> {
    return await fetch(new URL(path, this.url), {
      method: init.method ?? "GET",
      headers: { "x-api-key": FULL_KEY, "content-type": "application/json" },
      ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
    });
  }

  async stop(): Promise<void> {
    if (this.#isOwnBrowser) await this.#browser.close();
    await this.gateway.stop();
  }
}

/** The URL of the admin interface, from the program's output. */
export async function adminUrl(output: () => string): Promise<string> {
  const find = (): string | undefined => /admin interface on (http:\/\/\S+)/.exec(output())?.[1];
  await until(() => find() !== undefined, 10_000, "the admin interface listens");
  return find() ?? "";
}

/** One operator at the console. */
export class Operator {
  readonly page: Page;
  /** The errors of the page: failed scripts, and resources that its policy blocked. */
  readonly complaints: string[] = [];
  /** Requests to servers other than the admin interface. */
  readonly strays: string[] = [];

  private constructor(page: Page, url: string) {
    this.page = page;
    page.setDefaultTimeout(SEEN_MS);
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("dialog", (dialog) => void dialog.accept());
    page.on("console", (message) => {
      // A browser reports each refused request; refusals of the interface are regular responses.
      if (message.type() === "error" && !/the server responded with a status of|net::ERR_/.test(message.text())) {
        this.complaints.push(message.text());
      }
    });
    page.on("request", (request) => {
      // The browser draws its own fields, such as that of a day, with images in data URLs, which reach no server.
      if (![url, "data:"].some((start) => request.url().startsWith(start))) this.strays.push(request.url());
    });
  }

  static async open(
    { browser }: TestBrowser,
    url: string,
    { width = 1280, scheme = "light" }: { width?: number; scheme?: Scheme } = {},
  ): Promise<Operator> {
    const context = await browser.createBrowserContext();
    const operator = new Operator(await context.newPage(), url);
    await dress(operator.page, width, scheme);
    await operator.page.goto(url, { waitUntil: "load" });
    return operator;
  }

  async logIn(key: string = FULL_KEY): Promise<void> {
    await this.type("Admin key", key);
    await this.page.keyboard.press("Enter");
    await this.see("nav");
  }

  /** Opens a view, such as `routes`, and waits for its heading. */
  async goTo(view: string, head: string): Promise<void> {
    await this.page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`);
    await this.at(head);
  }

  /** Waits for the view with this heading. */
  async at(head: string): Promise<void> {
    await this.#find(`[...document.querySelectorAll("h1")].find((one) => one.textContent === ${JSON.stringify(head)})`);
  }

  /** Waits until the selector matches. */
  async see(selector: string): Promise<ElementHandle> {
    const found = await this.page.waitForSelector(selector).catch(async (error: unknown) => {
      throw new Error(`Not seen: ${selector}: ${await this.text()}`, { cause: error });
    });
    if (found === null) throw new Error(`Not seen: ${selector}`);
    return found;
  }

  /**
   * Presses a button or a link by its whole name: the visible text, and the addition for screen readers. The check that
   * nothing covers it and the click are one step, because live data moves the elements below it.
   */
  async press(name: string): Promise<void> {
    const press = `(() => {
      const found = [...document.querySelectorAll("button, a")].findLast((one) => one.textContent.trim() === ${JSON.stringify(name)} && !one.disabled);
      found?.scrollIntoView({ block: "center" });
      const box = found?.getClientRects()[0];
      if (!box || !found.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2))) return false;
      found.focus();
      found.click();
      return true;
    })()`;
    try {
      await until(async () => (await this.page.evaluate(press)) === true, LOOK_MS, `"${name}" can be pressed`);
    } catch (error) {
      throw new Error(`Not pressed: "${name}": ${await this.text()}`, { cause: error });
    }
  }

  /** The field with this label. */
  async field(label: string): Promise<ElementHandle> {
    return await this.#find(
      `[...document.querySelectorAll("label")].findLast((one) => one.textContent.trim() === ${JSON.stringify(label)})?.control`,
    );
  }

  /** Types into the field with this label, and replaces its value. */
  async type(label: string, text: string): Promise<void> {
    const found = await this.field(label);
    await found.focus();
    await this.page.evaluate("document.activeElement.select?.()");
    await this.page.keyboard.press("Backspace");
    await this.page.keyboard.type(text);
  }

  async #find(expression: string): Promise<ElementHandle> {
    const handle = await this.page.waitForFunction(expression).catch(async (error: unknown) => {
      throw new Error(`Not there: ${expression}: ${await this.text()}`, { cause: error });
    });
    const found = handle.asElement();
    if (found === null) throw new Error(`No element: ${expression}`);
    // These expressions match only elements.
    return found as ElementHandle;
  }

  /** The field of a form by its path in the route or upstream. */
  async fill(path: string, text: string): Promise<void> {
    const selector = `[id="field-${path}"]`;
    await this.see(selector);
    await this.page.evaluate(
      `{ const field = document.getElementById(${JSON.stringify(`field-${path}`)});
         for (let fold = field.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
         field.scrollIntoView({ block: "center" }); field.focus(); field.select?.(); }`,
    );
    await this.page.keyboard.press("Backspace");
    await this.page.keyboard.type(text);
    await this.page.keyboard.press("Tab");
  }

  /** All text that the page shows. */
  async text(): Promise<string> {
    return String(await this.page.evaluate("document.body.innerText"));
  }

  /** Waits until the page shows a text. */
  async reads(text: string): Promise<void> {
    await this.page
      .waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`)
      .catch(async (error: unknown) => {
        throw new Error(`Not shown: '${text}': ${await this.text()}`, { cause: error });
      });
  }

  /** Waits until one row of a table has both texts. */
  async row(name: string, text: string): Promise<void> {
    await this.page.waitForFunction(
      `[...document.querySelectorAll("tr")].some(({ innerText }) => innerText.includes(${JSON.stringify(name)}) && innerText.includes(${JSON.stringify(text)}))`,
    );
  }

  async leave(): Promise<void> {
    await this.page.browserContext().close();
  }
}
