/** The web site of the content bench, as a program whose CPU time counts for no contestant. Prints its port. */
import { APP_SCRIPT, SCRIPT_DATA, SCRIPT_PAGES, STATIC_PAGES, STYLE } from "./pages.ts";

/** An image of one pixel. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

/** With `?eager` no image of the page is lazy. */
function response({ pathname: path, search }: URL): Response {
  const page = STATIC_PAGES.get(path) ?? SCRIPT_PAGES.get(path);
  const html = search === "?eager" ? page?.replaceAll(' loading="lazy"', "") : page;
  if (html !== undefined) return new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } });
  const data = SCRIPT_DATA.get(path);
  if (data !== undefined) return new Response(data, { headers: { "content-type": "application/json" } });
  if (path === "/app.js") return new Response(APP_SCRIPT, { headers: { "content-type": "text/javascript" } });
  if (path === "/analytics.js")
    return new Response("window.seen = true;", { headers: { "content-type": "text/javascript" } });
  if (path === "/style.css") return new Response(STYLE, { headers: { "content-type": "text/css" } });
  if (path === "/picture.png") return new Response(PICTURE, { headers: { "content-type": "image/png" } });
  return new Response("no such page", { status: 404 });
}

const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => response(new URL(request.url)) });
console.log(`port ${server.port}`);
