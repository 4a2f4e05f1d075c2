import { describe, expect, test } from "bun:test";
import { automaticCode } from "./automatic-code.ts";

describe("the code that runs without user action", () => {
  test.each([
    ["a(1)", "a(1)"],
    ["a /* b */ c // d\ne", "a         c     \ne"],
    ["<!-- a\nb\n//-->", "      \nb\n     "],
    ["x = 'a(b' + \"c{d\" + `e[f`", "x = '   ' + \"   \" + `   `"],
    ["x = 'it\\'s' + 1", "x = '     ' + 1"],
    ["x = /[\"'/(]/g.test(a) / b / c", "x =         g.test(a) / b / c"],
    ["a = b / c; d = 'e/f'", "a = b / c; d = '   '"],
    ['b.addEventListener("click", () => { a() }, { once: true }); c()', "b.addEventListener(); c()"],
    ['b.addEventListener("load", () => { a() })', 'b.addEventListener("    ", () => { a() })'],
    ['$(b).on("click.menu", ".x", function () { a() }); c()', "$(b).on(); c()"],
    ['$(b).on("ready", a)', '$(b).on("     ", a)'],
    ["$(b).click(function () { a({}) }).show()", "$(b).click().show()"],
    ["b.click()", "b.click()"],
    ["b.onclick = function (e) { a() }; c()", "b.onclick = function ; c()"],
    ["b.onclick = (e) => { a() }\nc()", "b.onclick = \nc()"],
    ["b.onclick = e => a(e); c()", "b.onclick = ; c()"],
    ["b.onclick=e=>a(e),c()", "b.onclick=,c()"],
    ["b.onclick = () => a()\n  .then(d)\nc()", "b.onclick = \nc()"],
    ["window.onscroll = async () => a()\nc()", "window.onscroll = async \nc()"],
    ["b.onload = () => a()", "b.onload = () => a()"],
  ])("of %s", (script, bare) => {
    expect(automaticCode(script).bare).toBe(bare);
  });

  test("keeps its strings in `code`", () => {
    expect(automaticCode("a('b') // c").code).toBe("a('b')     ");
  });

  test.each(["a('b", "a)", "a((", "if (a) /'/.test(b)", "x = `${a", "a(b] c)"])(
    "is all of %s, which is unbalanced",
    (script) => {
      expect(automaticCode(script)).toEqual({ code: script, bare: script });
    },
  );
});

describe("functions that only handlers call do not run", () => {
  test.each([
    ['a.addEventListener("click", go); function go() { b() }', "a.addEventListener(); "],
    ['const go = (e) => { b(e) }\na.addEventListener("click", go); c()', "const \na.addEventListener(); c()"],
    ['const go=e=>b(e),d=1;a.addEventListener("click",go);c()', "const ,d=1;a.addEventListener();c()"],
    ["class A { go(e) { this.b() } on() { x.onclick = () => this.go() } }", "class A {  on() { x.onclick = } }"],
    ['a.addEventListener("click",this.go);class A{go(){this.b()}b(){c()}}', "a.addEventListener();class A{}"],
    [
      'a.addEventListener("click",this.go);class A{init(){this.go()}go(){b()}}',
      "a.addEventListener();class A{init(){this.go()}go(){b()}}",
    ],
    ["class A { connected() { b() } }", "class A { connected() { b() } }"],
    ["const go = () => b(); go()", "const go = () => b(); go()"],
    ["export default function go() { b() }", "export default function go() { b() }"],
  ])("in %s", (script, bare) => {
    expect(automaticCode(script).bare.trim()).toBe(bare.trim());
  });
});
