/**
 * The script of the page for viewers. It takes the token out of the address at once, and keeps it in the history entry, where a
 * reload finds it. A page that is hidden receives no further pictures.
 */
export const VIEW_SCRIPT = `
"use strict";
const part = (id) => document.getElementById(id);
const canvas = part("picture");
const token = location.hash.slice(1) || history.state || "";
history.replaceState(token, "", location.pathname);
addEventListener("hashchange", () => location.reload());

const TRIES = 5;
// A page that was never connected tries once.
let tries = 1;
const say = (text) => { part("status").textContent = text; };

const visible = () => new Promise((resolve) => {
  if (!document.hidden) resolve();
  else document.addEventListener("visibilitychange", resolve, { once: true });
});

const draw = async (jpeg) => {
  const bitmap = await createImageBitmap(new Blob([jpeg], { type: "image/jpeg" }));
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext("2d").drawImage(bitmap, 0, 0);
  bitmap.close();
};

// A message is a line of JSON, and perhaps a picture after it.
const show = async (data) => {
  const bytes = new Uint8Array(data);
  const end = bytes.indexOf(10);
  const { title, url } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  part("title").textContent = title || "none";
  part("address").textContent = url || "none";
  if (end + 1 < bytes.length) await draw(bytes.subarray(end + 1)).catch(() => undefined);
  await visible();
};

const watch = () => {
  const url = location.href.split("#")[0].replace(/^http/, "ws");
  const socket = new WebSocket(url, ["turnpike.view", "turnpike.secret." + token]);
  socket.binaryType = "arraybuffer";
  socket.addEventListener("open", () => {
    tries = TRIES;
    say("Connected. The picture follows the page that was used last.");
  });
  socket.addEventListener("message", async ({ data }) => {
    await show(data);
    if (socket.readyState === WebSocket.OPEN) socket.send("next");
  });
  socket.addEventListener("close", ({ code, reason }) => {
    tries -= 1;
    if (code === 1000) say("The browser has ended.");
    else if (code === 1013) say("The browser cannot be shown now: " + reason + ". Reload the page to try again.");
    else if (tries > 0) setTimeout(watch, 2_000);
    else say("The browser cannot be reached: it has ended, its address is incomplete, or the network fails.");
  });
};

if (/^[\\w-]+$/.test(token)) watch();
else say("The address is incomplete: it has no token after #.");
`;
