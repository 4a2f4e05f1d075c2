/** Loaded before a program (`--preload`), it shifts the program's clock by TURNPIKE_TEST_SHIFT_MS milliseconds. */
const shift = Number(process.env["TURNPIKE_TEST_SHIFT_MS"]);
const now = Date.now.bind(Date);
Date.now = () => now() + shift;
