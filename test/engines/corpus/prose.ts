const SENTENCES = [
  "The bridge over the Alder opened in 1894 and has carried the valley's traffic ever since.",
  "Engineers found hairline cracks in two of its piers last spring, and closed the eastern lane.",
  "Repairs will take until autumn, the county says, and cost about 4.2 million.",
  "Farmers on the far bank have to drive eleven kilometres further to reach the mill.",
  "“We were told in March that it would be three weeks,” says Ida Lund, who keeps forty sheep there.",
  "A ferry ran here before the bridge was built; its landing stage can still be seen at low water.",
  "Traffic counts from the ministry show 6,300 vehicles on an ordinary weekday.",
  "Heavy lorries account for a tenth of those, and for most of the wear.",
  "The council discussed a toll for lorries in 2019, but no vote was taken.",
  "Opponents pointed to the bakery and the school bus, which cross twice a day.",
  "Under the new plan, each axle would pay for the distance that it is driven and nothing else.",
  "Cameras read the number plates; records are kept for ninety days and then deleted.",
  "Privacy advocates call the period too long, and ask for a week at most.",
  "Similar schemes run in four other districts, with revenue between 0.8 and 1.1 million a year.",
  "None of them has reported a loss in trade, although shopkeepers remain divided.",
  "The next public meeting is on the 14th at half past seven, in the old fire station.",
  "Copies of the report lie in the library, where the staff will also print it on request.",
  "A model of the new piers, built by pupils at a scale of 1:50, is on display next to it.",
  "Their teacher hopes that the town will keep it when the work is done.",
  "Until then, cyclists are asked to dismount between the two sets of lights.",
] as const;

/** Sentences in an order that depends on `seed`, so that pages differ. */
export function sentences(count: number, seed: number): string {
  const step = [1, 3, 7, 9, 11, 13, 17, 19][seed % 8] ?? 1;
  return Array.from({ length: count }, (_, n) => SENTENCES[(seed * 5 + n * step) % SENTENCES.length] ?? "").join(" ");
}

/** Paragraphs of three to six sentences. */
export function paragraphs(count: number, seed: number): string {
  return Array.from({ length: count }, (_, n) => `<p>${sentences(3 + ((seed + n) % 4), seed + n)}</p>`).join("\n");
}

/** `count` items made by a function of their number. */
export function times(count: number, make: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => make(n)).join("\n");
}

/** A table of figures. */
export function table(rows: number, seed: number): string {
  const cells = times(
    rows,
    (n) => `<tr><td>District ${n + seed}</td><td>${(n + seed) * 137}</td><td>${n * 3 + seed}.5 %</td></tr>`,
  );
  return `<table><caption>Traffic by district</caption><thead><tr><th>District</th><th>Vehicles</th><th>Change</th></tr></thead><tbody>${cells}</tbody></table>`;
}

export const NAV =
  '<header class="site-header"><a class="brand" href="/">The Valley Courier</a><nav><ul><li><a href="/news">News</a></li><li><a href="/sport">Sport</a></li><li><a href="/culture">Culture</a></li><li><a href="/about">About us</a></li></ul></nav></header>';

export const FOOTER =
  '<footer><p>© 2026 The Valley Courier. <a href="/imprint">Imprint</a> · <a href="/privacy">Privacy</a></p></footer>';
