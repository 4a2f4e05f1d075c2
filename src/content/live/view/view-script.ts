/**
 * The script of the page for viewers. It takes the token out of the address at once, and keeps it in the history entry, where a
 * reload finds it. A page that is hidden receives no further pictures. With a token that controls, it sends what the person does in
 * the picture, with the number of the page that is shown. The Tab key leaves the picture, so that the keyboard is not caught there.
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

let socket;
// The number of the page that is shown.
let page = 0;
let controls = false;

const act = (input) => {
  if (controls && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ ...input, page }));
};
const MOVE_MS = 50;
const TYPE_MS = 20;
const MOST_SCROLL = 2000;
const BUTTONS = ["left", "middle", "right"];
const limited = (value, least, most) => Math.min(Math.max(value, least), most);
const heldBy = (event) => event.altKey * 1 + event.ctrlKey * 2 + event.metaKey * 4 + event.shiftKey * 8;
const placeOf = (event) => {
  const box = canvas.getBoundingClientRect();
  const x = (event.clientX - box.left - canvas.clientLeft) / canvas.clientWidth;
  const y = (event.clientY - box.top - canvas.clientTop) / canvas.clientHeight;
  return { x: limited(x, 0, 1), y: limited(y, 0, 1) };
};
const mouse = (action, event, button) =>
  act({ type: "mouse", action, ...placeOf(event), button, clicks: limited(event.detail, 0, 3), modifiers: heldBy(event) });
const key = (action, { key, code, keyCode }, modifiers) =>
  act({ type: "key", action, key: key.slice(0, 32), code, keyCode: limited(keyCode, 0, 255), modifiers });

const listen = () => {
  let pressed = "none";
  let movedAt = 0;
  let scroll;
  canvas.addEventListener("mousedown", (event) => {
    event.preventDefault();
    canvas.focus();
    pressed = BUTTONS[event.button] ?? "none";
    mouse("down", event, pressed);
  });
  addEventListener("mouseup", (event) => {
    if (pressed === "none") return;
    mouse("up", event, pressed);
    pressed = "none";
  });
  canvas.addEventListener("mousemove", (event) => {
    if (event.timeStamp - movedAt < MOVE_MS) return;
    movedAt = event.timeStamp;
    mouse("move", event, pressed);
  });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (scroll === undefined) {
      scroll = { dx: 0, dy: 0 };
      setTimeout(() => {
        const [dx, dy] = [scroll.dx, scroll.dy].map((one) => limited(one, -MOST_SCROLL, MOST_SCROLL));
        scroll = undefined;
        act({ type: "wheel", ...placeOf(event), dx, dy });
      }, MOVE_MS);
    }
    scroll.dx += event.deltaX;
    scroll.dy += event.deltaY;
  }, { passive: false });
  for (const action of ["down", "up"]) {
    canvas.addEventListener("key" + action, (event) => {
      if (event.key === "Tab" || event.metaKey || event.isComposing) return;
      event.preventDefault();
      key(action, event, heldBy(event));
    });
  }
  const type = async () => {
    const text = part("text").value;
    part("text").value = "";
    for (const one of text) {
      act({ type: "text", text: one });
      await new Promise((resolve) => setTimeout(resolve, TYPE_MS));
    }
  };
  part("type").addEventListener("click", type);
  part("text").addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.isComposing) type(); });
  for (const button of document.querySelectorAll("[data-key]")) {
    const one = { key: button.dataset.key, code: button.dataset.key, keyCode: Number(button.dataset.code) };
    button.addEventListener("click", () => {
      key("down", one, 0);
      key("up", one, 0);
    });
  }
};

const letAct = () => {
  if (controls) return;
  controls = true;
  part("control").hidden = false;
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-label", "The page in the browser. Click, scroll and type here. Tab leaves it.");
  say("Connected. Click, scroll and type in the picture of the page that was used last.");
  listen();
};

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
  const message = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  page = message.page;
  if (message.controls) letAct();
  part("title").textContent = message.title || "none";
  part("address").textContent = message.url || "none";
  if (end + 1 < bytes.length) await draw(bytes.subarray(end + 1)).catch(() => undefined);
  await visible();
};

const watch = () => {
  const url = location.href.split("#")[0].replace(/^http/, "ws");
  const own = new WebSocket(url, ["turnpike.view", "turnpike.secret." + token]);
  socket = own;
  own.binaryType = "arraybuffer";
  own.addEventListener("open", () => {
    tries = TRIES;
    say("Connected. The picture follows the page that was used last.");
  });
  own.addEventListener("message", async ({ data }) => {
    await show(data);
    if (own.readyState === WebSocket.OPEN) own.send("next");
  });
  own.addEventListener("close", ({ code, reason }) => {
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
