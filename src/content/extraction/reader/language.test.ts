import { expect, test } from "bun:test";
import { languageOf } from "./language.ts";

test.each<[string | undefined, string]>([
  [
    "zh",
    "城南的老茶馆在去年秋天重新开张，木门还是原来的木门，桌椅却换成了新的。清晨六点，第一批客人就已经坐在靠窗的位置上。",
  ],
  [
    "ja",
    "港のそばにある小さな本屋は、三十年前に漁師だった主人が始めた店である。朝の市場が終わるころに店を開け、夕方に閉める。",
  ],
  [
    "ko",
    "서해의 작은 섬 다섯 곳을 돌며 우편물을 배달해 온 집배원이 다음 달 일을 마치고 퇴직한다. 그의 하루는 새벽에 시작된다.",
  ],
  ["th", "ชาวบ้านริมคลองบางหลวงกว่าสองร้อยครัวเรือนร่วมกันลงขันซ่อมเรือนแพเก่าสิบสองหลัง เพื่อเปิดตลาดน้ำ"],
  [
    "ru",
    "Последний паровой ледокол области, простоявший у причала двадцать восемь лет, станет музеем. Буксиры отвели судно.",
  ],
  [
    "uk",
    "Останній паровий криголам області, що простояв біля причалу двадцять вісім років, стане музеєм. Буксири відвели його.",
  ],
  [
    "ar",
    "عاد السوق القديم في وسط المدينة إلى الحياة بعد سنوات من الإغلاق، وفتحت عشرات المحال أبوابها من جديد أمام الزوار.",
  ],
  [
    "fa",
    "نانوایی قدیمی محله پس از چهل سال دوباره باز شد و ده‌ها نفر از اهالی پیش از طلوع آفتاب جلوی در چوبی آن صف کشیدند.",
  ],
  ["he", "אחרי שעמד שומם יותר משלושים שנה חזר בשבוע שעבר לפעול בית הבד הישן שבפאתי הכפר. אבני הריחיים הורמו במנוף."],
  [
    "el",
    "Με μελτέμι έξι μποφόρ και όλο το χωριό μαζεμένο στο αλώνι, ο παλιός ανεμόμυλος άνοιξε ξανά τα πανιά του το Σάββατο.",
  ],
  [
    "de",
    "Nach mehr als vierzig Jahren dreht sich das Rad der alten Mühle am Ortsrand wieder, und am ersten Wochenende kamen so viele Besucher, dass der Parkplatz nicht reichte. Gemahlen wird vorerst nur am Samstag, wenn der Verein die Mühle öffnet.",
  ],
  [
    "es",
    "El pequeño tren que sube a la sierra cumple este mes cien años. El pueblo lo ha celebrado con una banda de música y un viaje gratis para todos los vecinos. La línea estuvo a punto de cerrar dos veces por falta de viajeros en los años noventa.",
  ],
  [
    "pt",
    "O pequeno comboio que sobe à serra faz este mês cem anos, e a aldeia celebrou a data com uma banda de música e uma viagem grátis. A linha esteve quase a fechar duas vezes, mas não fechou. Foram os caminhantes que a salvaram nos anos noventa.",
  ],
  [
    "tr",
    "Körfezin son ustası olarak bilinen Halil Karaca, elli altı yıllık mesleğini öğretmek için atölyesinin kapılarını dört genç kadına açtı ve onlara bir tekneyi omurgasından direğine kadar nasıl tamamlayacaklarını gösterdi. Bu iş çok zor ama çok güzel diyor.",
  ],
  [undefined, "Lamp 3 kg, 24 V, IP 44."],
  [undefined, "Ναι 1 2 3"],
])("%s", (language, text) => {
  expect(languageOf(text)).toBe(language);
});
