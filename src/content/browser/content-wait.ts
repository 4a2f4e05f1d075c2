/** Milliseconds after its page event in which a blank page may get its content from a script. */
const MAX_BLANK_MS = 4_000;
/** The same for an element that the page's scripts fill, and for a notice that a part of the page is loading. */
const MAX_OPEN_MS = 2_500;
/** Milliseconds without a change after which new content is accepted, and the longest wait for that. */
const QUIET_MS = 200;
const MAX_QUIET_MS = 1_000;
const LOOK_MS = 100;

/**
 * A page moves if its text changes in this number of checks in sequence, with these milliseconds between them: a number
 * may count up in each frame. MAX_MOVING_MS is the longest wait for the end of the change.
 */
const FRAME_MS = 40;
const FRAMES_SEEN = 2;
const MAX_MOVING_MS = 2_000;

/** Maximum number of elements that are examined in each check. */
const MAX_LOOKED_AT = 2_000;
/** Maximum number of frames that are loaded although they are lazy. */
const MAX_LAZY_FRAMES = 20;

/** Elements that show something without text. */
const SHOWS = "img, svg, canvas, video, iframe, object, embed, input, select, textarea, math, frame";
/** Elements that data fills, such as rows of a table. */
const FILLED = "tbody, ul, ol, dl, output";
const PLACES = "div, section, article, main, p, span, td, li, h1, h2";

/** Texts that a page or an element shows while it loads. */
const LOADING = String.raw`/^(?:(?:still |now )?loading(?: [\w ]{1,40})?|please wait(?: while [\w ',]{1,60})?|one moment(?: please)?|(?:ge)?laden|lädt|bitte warten|chargement|cargando|carregando|caricamento|загрузка|加载中|読み込み中)\s{0,3}[.…。]{0,3}$/i`;
const STAND_IN = String.raw`/^(?:[-–—]{1,3}|…|\.{3}|\?{1,3}|(?:unknown|connecting|waiting(?: for [\w ]{1,30})?|pending|no data(?: yet)?|not connected|n\/a)[.…]{0,3})$/i`;

/**
 * Loads lazy frames of the same site, since their content is read with the page. `timeout` ends the wait.
 */
const LAZY_FRAMES = `(async (timeout) => {
  const isOwn = ({ src }) => URL.parse(src, document.baseURI)?.origin === location.origin;
  const isBlank = ({ contentDocument }) => contentDocument?.URL === "about:blank";
  const lazy = [...document.querySelectorAll("iframe[loading=lazy i]")]
    .filter((frame) => isOwn(frame) && isBlank(frame) && frame.checkVisibility())
    .slice(0, ${MAX_LAZY_FRAMES});
  const loads = lazy.map((frame) => new Promise((done) => {
    frame.addEventListener("load", done, { once: true });
    frame.loading = "eager";
  }));
  if (lazy.length > 0) await Promise.race([Promise.all(loads), timeout]);
  for (const frame of lazy) frame.loading = "lazy";
})`;

/** Maximum number of elements that are examined, and of empty elements below the window that are scrolled into it. */
const MAX_FAR_EXAMINED = 10_000;
const MAX_FAR_ELEMENTS = 6;
/** Milliseconds of the longest wait for one frame. */
const FRAME_WAIT_MS = 50;

/** Names of elements that stay empty, or that third parties fill. */
const STAYS_EMPTY = String.raw`/(?:^|[-_\s])(?:ads?|adslot|advert\w{0,20}|sponsor\w{0,10}|gpt|dfp|banner|taboola|outbrain|disqus\w{0,10}|modal|dialog|popup|overlay|backdrop|toasts?|tooltips?|consent|cookies?|captcha|recaptcha|spacer|divider|separator|clear|clearfix|line|shape|bg|background|icon|logo|map|player|share|progress|dots|nav|arrows?|pagination|announcer|sr-only)(?:$|[-_\s])/i`;
/** Parts that libraries load when they are in the window, although they are not empty. */
const LOADED_IN_WINDOW =
  "[hx-trigger*=revealed], [hx-trigger*=intersect], turbo-frame[loading=lazy], [aria-busy=true], :is(div, section, article)[data-src]";

/**
 * Scrolls to each empty element below the window for one frame, since some scripts fill an element when it becomes visible.
 * With \`isObserved\`, it also scrolls through the next windows.
 */
const SHOW_FAR_ELEMENTS = `(async (pause, isObserved) => {
  const frame = () => Promise.race([new Promise((done) => requestAnimationFrame(done)), pause(${FRAME_WAIT_MS})]).then(() => pause(0));
  const isEmpty = (element) => element.childElementCount === 0 && element.textContent.trim() === "";
  const isNamed = ({ id, className, dataset, localName }) => localName.includes("-") ||
    ((id !== "" || typeof className === "string" && className !== "" || Object.keys(dataset ?? {}).length > 0) && !${STAYS_EMPTY}.test(id + " " + className));
  const isUnfilled = (element) => /^(?:div|section|article|ul|ol|tbody|main|figure)$|-/.test(element.localName) && isEmpty(element) && element.shadowRoot === null && isNamed(element);
  const isFar = (element) => element.getBoundingClientRect().top >= innerHeight && element.checkVisibility() && element.closest("header, footer, nav, aside, dialog, svg") === null;
  const all = Array.prototype.slice.call(document.body?.getElementsByTagName("*") ?? [], 0, ${MAX_FAR_EXAMINED});
  const far = all.filter((element) => (isUnfilled(element) || element.matches("${LOADED_IN_WINDOW}")) && isFar(element)).slice(0, ${MAX_FAR_ELEMENTS});
  if (far.length === 0 && !isObserved) return;
  const { scrollX, scrollY } = window;
  for (let at = 1; isObserved && at <= ${MAX_FAR_ELEMENTS} && innerHeight * at < document.scrollingElement.scrollHeight; at += 1) {
    scrollTo({ left: scrollX, top: innerHeight * at, behavior: "instant" });
    await frame();
  }
  for (const element of far) {
    const { top, bottom } = element.getBoundingClientRect();
    if (element.isConnected && (top >= innerHeight || bottom < 0)) element.scrollIntoView({ block: "center", behavior: "instant" });
    await frame();
  }
  scrollTo({ left: scrollX, top: scrollY, behavior: "instant" });
})`;

export interface ContentWait {
  /**
   * True: the script also waits while a part of the page shows a notice such as "Loading…", and for the end of a text that
   * changes in each frame. Before, it shows elements below the window, since scripts fill some when they are visible.
   */
  readonly settles: boolean;
  /** True: the page's scripts observe if elements are visible. */
  readonly isObserved: boolean;
  /** True: data may come without a request, so the script waits while places for data are empty. */
  readonly isLive: boolean;
  /** Milliseconds of the longest wait. */
  readonly mostMs: number;
}

/**
 * The script that waits, for a limited time, while a page with scripts shows nothing. It then waits until the new content no
 * longer changes. Its result tells whether places for data are empty.
 */
export function contentWaitScript({ settles, isObserved, isLive, mostMs }: ContentWait): string {
  return `(async () => {
    const pause = (ms) => new Promise((done) => setTimeout(done, ms));
    await ${LAZY_FRAMES}(pause(${Math.min(MAX_OPEN_MS, mostMs)}));
    if (document.scripts.length === 0) return false;
    const some = (selector, fits) => Array.prototype.slice.call(document.querySelectorAll(selector), 0, ${MAX_LOOKED_AT}).some(fits);
    const seen = (element) => element.checkVisibility();
    const textOf = (element) => element.textContent.trim();
    const isNotice = (text) => ${STAND_IN}.test(text) || ${LOADING}.test(text);
    const chrome = "header, footer, nav, aside";
    const lengthOf = (element) => element.innerText.trim().length;
    const isBlank = () => {
      const whole = document.body === null ? "" : document.body.innerText.trim();
      const around = [...document.querySelectorAll(chrome)].filter(({ parentElement }) => parentElement.closest(chrome) === null);
      const left = whole.length - around.reduce((sum, element) => sum + lengthOf(element), 0);
      // Only line ends may separate the remaining texts.
      const text = left <= around.length * 2 ? "" : whole;
      if (text !== "") return ${LOADING}.test(text);
      if (document.querySelector("frameset") !== null) return false;
      return !some("${SHOWS}", seen) && !some("*", (element) => element.localName.includes("-") && element.clientHeight > 0);
    };
    if (${settles}) await ${SHOW_FAR_ELEMENTS}(pause, ${isObserved});
    const isPlace = (element) => element.closest(chrome) === null && element.childElementCount === 0 &&
      (element.matches("${FILLED}") && textOf(element) === "" && element.checkVisibility({ contentVisibilityAuto: true }) || ${STAND_IN}.test(textOf(element)) && seen(element));
    const isOpen = () => some("${FILLED}, ${PLACES}, b, strong, em, dd", isPlace);
    const loads = () => ${settles} && (some("[aria-busy=true]", seen) ||
      some("${PLACES}", (element) => element.childElementCount === 0 && ${LOADING}.test(textOf(element)) && seen(element)));
    const began = performance.now();
    const most = () => isBlank() ? ${MAX_BLANK_MS} : ${isLive} && isOpen() || loads() ? ${MAX_OPEN_MS} : 0;
    let waited = false;
    while (performance.now() - began < Math.min(most(), ${mostMs})) {
      waited = true;
      await pause(${LOOK_MS});
    }
    let changed = 0;
    const observer = new MutationObserver(() => { changed = performance.now(); });
    observer.observe(document, { childList: true, subtree: true, characterData: true });
    const changes = async () => {
      for (let n = 0; n < ${FRAMES_SEEN}; n += 1) {
        const from = performance.now();
        await pause(${FRAME_MS});
        if (changed < from) return false;
      }
      return true;
    };
    const longest = waited ? ${MAX_QUIET_MS} : ${settles} && (await changes()) ? ${MAX_MOVING_MS} : 0;
    changed = performance.now();
    const end = changed + Math.min(longest, ${mostMs});
    while (performance.now() < end && performance.now() - changed < ${QUIET_MS}) await pause(${LOOK_MS});
    observer.disconnect();
    return ${settles} && isOpen();
  })()`;
}
