import { describe, expect, test } from "bun:test";
import { decode, isGuess } from "./decode.ts";

const CHINESE =
  "城南的老茶馆在去年秋天重新开张，木门还是原来的木门，桌椅却换成了新的。清晨六点，第一批客人就已经坐在靠窗的位置上，一边喝茶一边听收音机里的早间新闻。";
const TRADITIONAL =
  "城南的老茶館在去年秋天重新開張，木門還是原來的木門，桌椅卻換成了新的。清晨六點，第一批客人就已經坐在靠窗的位置上，一邊喝茶一邊聽收音機裡的早間新聞。";
const JAPANESE =
  "港のそばにある小さな本屋は、三十年前に漁師だった主人が始めた店である。朝の市場が終わるころに店を開け、夕方の最後の船が着くころに閉める。";
const KOREAN =
  "서해의 작은 섬 다섯 곳을 돌며 우편물을 배달해 온 집배원이 다음 달 일을 마치고 퇴직한다. 그가 하루에 배를 타는 횟수는 평균 네 번이다.";
const RUSSIAN =
  "Последний паровой ледокол области станет музеем. В четверг буксиры отвели судно к Красной пристани, где оно останется навсегда.";

const TEXTS: readonly (readonly [encoding: string, text: string])[] = [
  ["gb18030", CHINESE],
  ["big5", TRADITIONAL],
  ["shift_jis", JAPANESE],
  ["euc-jp", JAPANESE],
  ["euc-kr", KOREAN],
  ["windows-1251", RUSSIAN],
  ["koi8-r", RUSSIAN],
  [
    "windows-1253",
    "Με μελτέμι έξι μποφόρ και όλο το χωριό μαζεμένο στο αλώνι, ο παλιός ανεμόμυλος άνοιξε τα πανιά του.",
  ],
  [
    "windows-1255",
    "אחרי שעמד שומם יותר משלושים שנה חזר בשבוע שעבר לפעול בית הבד הישן שבפאתי הכפר. אבני הריחיים הורמו במנוף.",
  ],
  [
    "windows-1256",
    "عاد السوق القديم في وسط المدينة إلى الحياة بعد سنوات من الإغلاق، وفتحت عشرات المحال أبوابها من جديد أمام الزوار.",
  ],
  ["windows-874", "ชาวบ้านริมคลองบางหลวงกว่าสองร้อยครัวเรือนร่วมกันลงขันซ่อมเรือนแพเก่าสิบสองหลัง เพื่อเปิดตลาดน้ำที่ปิดตัวมานาน"],
  [
    "windows-1254",
    "Körfezin son ustası olarak bilinen Halil Karaca, mesleğini öğretmek için atölyesinin kapılarını dört genç kadına açtı. Çıraklar tekneyi omurgasından direğine kadar kendi elleriyle tamamlayacak. Ağaçlar kışın, ay küçülürken kesiliyor; yazın kesilen tahta beş yılda çürür diyor usta. Suya indirme töreni on dokuz mayıs günü yapılacak, köylüler şimdiden hazırlanıyor.",
  ],
];

/** The bytes of each character that an encoding writes in one or two bytes. */
function bytesOf(encoding: string): ReadonlyMap<string, readonly number[]> {
  // The names are from the list above.
  const decoder = new TextDecoder(encoding as Bun.Encoding);
  const known = new Map<string, readonly number[]>();
  const keep = (bytes: readonly number[]): void => {
    const text = decoder.decode(new Uint8Array(bytes));
    if (text.length === 1 && text !== "\uFFFD" && !known.has(text)) known.set(text, bytes);
  };
  for (let byte = 0; byte < 0x100; byte += 1) keep([byte]);
  if (/^(?:windows|koi8)/.test(encoding)) return known;
  for (let lead = 0x81; lead < 0xff; lead += 1) for (let trail = 0x40; trail < 0xff; trail += 1) keep([lead, trail]);
  return known;
}

function encoded(text: string, encoding: string): Uint8Array {
  const known = bytesOf(encoding);
  return Uint8Array.from(Array.from(`<p>${text}</p>`).flatMap((character) => known.get(character) ?? []));
}

describe("a document that does not declare its encoding", () => {
  test.each(TEXTS)("is read as %s by its characters", (encoding, text) => {
    const body = encoded(text, encoding);
    expect(decode(body, "text/html", "html")).toEqual({ text: `<p>${text}</p>`, encoding, isGuess: false });
    expect(isGuess(body, "text/html")).toBe(false);
  });

  test.each([
    [
      "French",
      "windows-1252",
      "Le café où l'été s'achève était fermé, et près de la fenêtre cassée un élève rêvait déjà à Noël, à la forêt et à la mère.",
    ],
    [
      "Icelandic",
      "windows-1252",
      "Þegar skipið kom að landi var enginn á bryggjunni nema gamli maðurinn, sem hafði beðið þess í þrjá daga og þrjár nætur án þess að sofa.",
    ],
    ["short text", "windows-1251", "Паром"],
  ])("is a guess for %s", (_what, encoding, text) => {
    expect(decode(encoded(text, encoding), "text/html", "html")).toMatchObject({
      encoding: "windows-1252",
      isGuess: true,
    });
  });

  test("is UTF-8 with a damaged character", () => {
    const body = Buffer.concat([Buffer.from(`<p>${RUSSIAN}`), Buffer.from([0xd0]), Buffer.from("</p>")]);
    expect(decode(body, "text/html", "html")).toEqual({
      text: `<p>${RUSSIAN}\uFFFD</p>`,
      encoding: "utf-8",
      isGuess: false,
    });
  });

  test("is a guess if it has no text", () => {
    const noise = Uint8Array.from({ length: 5000 }, (_, at) => (at * 7919 + (at >> 3) * 104_729) & 0xff);
    expect(decode(noise, "text/html", "html").isGuess).toBe(true);
  });
});
