/** A hang-up came before anybody could read a configuration again. */
let owed = false;
let listener: (() => void) | undefined;

/** Has SIGHUP wait, where by default it ends the process, until `onHangup` says what to do; several are one. */
export function holdHangups(): void {
  process.on("SIGHUP", () => {
    if (listener === undefined) owed = true;
    else listener();
  });
}

/** Has `listen` told of every SIGHUP from now on, and at once where one waits. Call `holdHangups` before. */
export function onHangup(listen: () => void): void {
  listener = listen;
  if (owed) listen();
  owed = false;
}
