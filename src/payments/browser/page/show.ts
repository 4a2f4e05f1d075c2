import { make } from "./elements.ts";
import { markdown } from "./markdown.ts";

/** Characters that are shown of a text. The file that can be saved has all of it. */
const MAX_SHOWN = 200_000;

/** Shows the body of a response, and a link that saves it. Nothing in it runs. */
export async function showBody(response: Response, into: HTMLElement): Promise<void> {
  const type = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const blob = await response.blob();
  const url = URL.createObjectURL(blob);
  if (/^image\/(?:png|jpeg|gif|webp|avif|svg\+xml)$/.test(type)) {
    const image = make("img");
    image.src = url;
    image.alt = "The response";
    into.append(image);
  } else if (/^text\/|json$|xml$/.test(type)) {
    const text = await blob.text();
    into.append(shown(text.slice(0, MAX_SHOWN), type));
    if (text.length > MAX_SHOWN) into.append(make("p", `The first ${MAX_SHOWN} characters of ${text.length}.`));
  }
  const name = fileName(response, type);
  const link = make("a", `Save ${name} (${blob.size} bytes)`);
  link.href = url;
  link.download = name;
  const line = make("p");
  line.append(link);
  into.append(line);
}

function shown(text: string, type: string): Node {
  if (type === "text/markdown") {
    const article = make("article");
    article.append(markdown(text));
    return article;
  }
  if (type === "text/html") return frame(text);
  const pre = make("pre");
  pre.tabIndex = 0;
  pre.append(make("code", type.endsWith("json") ? indented(text) : text));
  return pre;
}

/** A page in a frame without scripts and without this page's origin. The policy of this page applies to it too. */
function frame(text: string): HTMLIFrameElement {
  const element = make("iframe");
  element.setAttribute("sandbox", "");
  element.title = "The response, without its scripts and styles";
  element.srcdoc = text;
  return element;
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

/** The name by which the seller, or else the URL, calls the file. */
function fileName(response: Response, type: string): string {
  const told = /filename="?([^";]+)/i.exec(response.headers.get("content-disposition") ?? "")?.[1];
  const last = new URL(response.url || location.href).pathname.split("/").findLast((part) => part !== "") ?? "";
  const name = (told ?? last).replaceAll(/[^\w.-]+/g, "_").slice(0, 80) || "response";
  return /\.\w{1,5}$/.test(name) ? name : `${name}.${type.split("/")[1]?.split("+")[0] || "bin"}`;
}
