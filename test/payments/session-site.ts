/** A site that logs callers in, and marks each page in a cookie, in localStorage and in an IndexedDB database. */
import { randomBytes } from "node:crypto";

/** Milliseconds that a page takes, so that two at once are seen. */
const PAGE_MS = 60;

/** The texts of a page: `stored` (localStorage) and `indexed` (IndexedDB) only if its scripts ran. "none" for nothing. */
export interface Shown {
  /** The caller that the cookie of the login belongs to. */
  readonly who: string;
  readonly cookie: string;
  readonly stored?: string;
  readonly indexed?: string;
}

export interface LogInSite {
  readonly url: string;
  /** Values of cookies and of storage that were given out. */
  readonly values: readonly string[];
  /** Sessions of which two pages were loaded at once. */
  readonly wrong: readonly string[];
  /** The mark that the page `n` of a session leaves. */
  mark(session: string, n: number): string;
  close(): Promise<void>;
}

const none = "none";

/** Starts the site. `/step` leaves its mark, and logs the caller in if it is not; `/look` changes nothing. */
export function startLogInSite(): LogInSite {
  const owners = new Map<string, string>();
  const marks = new Map<string, string>();
  const loading = new Set<string>();
  const wrong: string[] = [];
  const mark = (session: string, n: number): string => {
    const key = `${session} ${n}`;
    const made = marks.get(key) ?? value("MARK");
    marks.set(key, made);
    return made;
  };
  const page = async (request: Request, { pathname, searchParams }: URL): Promise<Response> => {
    const [caller = none, session = none, n = "0"] = ["caller", "session", "n"].map(
      (name) => searchParams.get(name) ?? none,
    );
    if (loading.has(session)) wrong.push(`${caller}: two pages of the session ${session} at once`);
    loading.add(session);
    await Bun.sleep(PAGE_MS);
    loading.delete(session);
    const cookies = new Bun.CookieMap(request.headers.get("cookie") ?? "");
    const sid = cookies.get("sid") ?? "";
    const left = pathname === "/step" ? mark(session, Number(n)) : undefined;
    const headers = new Headers({ "content-type": "text/html" });
    if (left !== undefined) headers.append("set-cookie", `mark=${left}; Path=/`);
    if (left !== undefined && !owners.has(sid)) {
      const fresh = value("SID");
      owners.set(fresh, caller);
      headers.append("set-cookie", `sid=${fresh}; Path=/; HttpOnly`);
    }
    const shown = `who=${owners.get(sid) ?? none} cookie=${cookies.get("mark") ?? none}`;
    return new Response(`<p>${shown}</p><p id="stored"></p><script>${scriptOf(left)}</script>`, { headers });
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const url = new URL(request.url);
      return url.pathname === "/step" || url.pathname === "/look"
        ? await page(request, url)
        : new Response("", { status: 404 });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    get values() {
      return [...owners.keys(), ...marks.values()];
    },
    wrong,
    mark,
    close: () => server.stop(true),
  };
}

/** A random value, which a search finds only if it is in the clear. */
function value(kind: string): string {
  return `${kind}${randomBytes(12).toString("hex")}`;
}

/** Shows what is stored, and then stores the mark. */
function scriptOf(left: string | undefined): string {
  const text = JSON.stringify(left ?? "");
  return `
    const stored = localStorage.getItem("mark") ?? "none";
    if (${text} !== "") localStorage.setItem("mark", ${text});
    const opening = indexedDB.open("marks", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("marks");
    opening.onsuccess = () => {
      const transaction = opening.result.transaction("marks", "readwrite");
      const marks = transaction.objectStore("marks");
      const found = marks.get("mark");
      if (${text} !== "") found.onsuccess = () => marks.put(${text}, "mark");
      transaction.oncomplete = () => {
        const shown = document.getElementById("stored");
        shown.textContent = "stored=" + stored + " indexed=" + (found.result ?? "none");
        shown.insertAdjacentHTML("afterend", "<p id=done>done</p>");
      };
    };`;
}

/** Reads the text of a page. */
export function shownIn(text: string): Shown {
  const words = new Map(text.split(/\s+/).map((word) => [word.split("=")[0] ?? "", word.split("=")[1] ?? ""]));
  const [stored, indexed] = [words.get("stored"), words.get("indexed")];
  return {
    who: words.get("who") ?? "",
    cookie: words.get("cookie") ?? "",
    ...(stored === undefined ? {} : { stored }),
    ...(indexed === undefined ? {} : { indexed }),
  };
}
