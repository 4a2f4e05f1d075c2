import { describe, expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { readArticle } from "./read-article.ts";

interface Words {
  readonly language: string;
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly links: readonly string[];
  readonly related: string;
  readonly teasers: readonly string[];
  readonly foot: string;
}

const PAGES: readonly Words[] = [
  {
    language: "zh",
    title: "老茶馆重新开张",
    paragraphs: [
      "城南的老茶馆在去年秋天重新开张，木门还是原来的木门，桌椅却换成了新的。清晨六点，第一批客人就已经坐在靠窗的位置上，一边喝茶一边听收音机里的早间新闻。",
      "店主说，修缮花了整整两年时间，大部分的钱用在了屋顶上。下雨的时候，水会从瓦片之间漏进来，把墙上的字画都弄湿了。",
      "现在茶馆每天接待两百多位客人，其中一半是住在附近的老人。他们说，只要茶还是那个味道，别的都可以慢慢习惯。",
    ],
    links: ["首页", "新闻", "财经", "体育", "娱乐", "科技"],
    related: "相关文章",
    teasers: ["地铁三号线明年通车", "今年冬天比往年更冷", "博物馆周末免费开放"],
    foot: "版权所有 未经许可不得转载 联系我们 隐私政策",
  },
  {
    language: "ja",
    title: "港町の小さな本屋",
    paragraphs: [
      "港のそばにある小さな本屋は、三十年前に漁師だった主人が始めた店である。朝の市場が終わるころに店を開け、夕方の最後の船が着くころに閉める。",
      "棚には海の本が多いが、子ども向けの絵本も少しずつ増えてきた。週末になると、隣の町からも親子連れがやって来て、窓ぎわの長いすで本を読んでいく。",
      "主人は、本が売れなくても構わないと笑う。人が集まる場所が町に一つでも残っていれば、それで十分だと考えているからだ。",
    ],
    links: ["ホーム", "ニュース", "経済", "スポーツ", "文化", "天気"],
    related: "関連記事",
    teasers: ["新しい橋が来月開通", "図書館の利用者が増加", "台風の進路に注意"],
    foot: "無断転載を禁じます お問い合わせ 会社概要 プライバシーポリシー",
  },
  {
    language: "ar",
    title: "السوق القديم يستعيد حياته",
    paragraphs: [
      "عاد السوق القديم في وسط المدينة إلى الحياة بعد سنوات من الإغلاق، وفتحت عشرات المحال أبوابها من جديد أمام الزوار. يقول التجار إن الحركة في الأيام الأولى فاقت كل توقعاتهم.",
      "استغرقت أعمال الترميم أربع سنوات، وشارك فيها حرفيون من القرى المجاورة أعادوا بناء الأقواس الحجرية كما كانت قبل مئة عام. ولم تستخدم في البناء إلا المواد المحلية.",
      "ويأمل السكان أن يجذب السوق السياح في فصل الشتاء، حين يكون الطقس معتدلا والأسعار أقل من المعتاد؟ الجواب عند أصحاب الفنادق الصغيرة.",
    ],
    links: ["الرئيسية", "أخبار", "اقتصاد", "رياضة", "ثقافة", "آراء"],
    related: "مواضيع ذات صلة",
    teasers: ["افتتاح خط جديد للقطار", "ارتفاع درجات الحرارة غدا", "معرض الكتاب يبدأ الخميس"],
    foot: "جميع الحقوق محفوظة اتصل بنا سياسة الخصوصية شروط الاستخدام",
  },
  {
    language: "hi",
    title: "गाँव का पुराना पुस्तकालय",
    paragraphs: [
      "गाँव के बीच में बना पुराना पुस्तकालय इस साल फिर से खुल गया है। पिछले दस वर्षों से इसकी छत टूटी हुई थी और बारिश का पानी किताबों तक पहुँच जाता था।",
      "मरम्मत का काम गाँव के लोगों ने ही किया, और इसके लिए हर परिवार ने थोड़ा-थोड़ा पैसा दिया। अब यहाँ चार हज़ार किताबें हैं, जिनमें से आधी बच्चों के लिए हैं।",
      "शाम को स्कूल के बाद बच्चे यहाँ आते हैं और अपना गृहकार्य करते हैं। पुस्तकालय की देखभाल करने वाली शिक्षिका कहती हैं कि अब जगह कम पड़ने लगी है।",
    ],
    links: ["होम", "समाचार", "खेल", "मनोरंजन", "राजनीति", "मौसम"],
    related: "संबंधित खबरें",
    teasers: ["नई सड़क का काम शुरू", "कल से बारिश के आसार", "मेले में उमड़ी भीड़"],
    foot: "सर्वाधिकार सुरक्षित संपर्क करें गोपनीयता नीति",
  },
  {
    language: "ru",
    title: "Паром вернулся на старый маршрут",
    paragraphs: [
      "Паром, который соединял два берега реки с середины прошлого века, снова вышел на линию после трёхлетнего ремонта. В первый же день он перевёз больше четырёхсот пассажиров и почти сотню автомобилей.",
      "Капитан рассказывает, что двигатель пришлось заменить целиком, а вот деревянную палубу удалось сохранить. Её чистили и шлифовали всю зиму, доску за доской.",
      "Жители посёлков надеются, что теперь не придётся ехать в объезд через мост, до которого шестьдесят километров. Билет стоит столько же, сколько и раньше.",
    ],
    links: ["Главная", "Новости", "Экономика", "Спорт", "Культура", "Погода"],
    related: "Читайте также",
    teasers: ["Школу откроют в сентябре", "Завтра ожидается снег", "Музей продлил часы работы"],
    foot: "Все права защищены Контакты Политика конфиденциальности Реклама",
  },
  {
    language: "de",
    title: "Die Mühle mahlt wieder",
    paragraphs: [
      "Nach mehr als vierzig Jahren dreht sich das Rad der alten Mühle am Ortsrand wieder, und am ersten Wochenende kamen so viele Besucher, dass der Parkplatz nicht reichte. Gemahlen wird vorerst nur am Samstag.",
      "Der Verein hat für die Sanierung sechs Jahre gebraucht, weil das Geld immer wieder ausging. Am Ende halfen eine Stiftung und ein Zimmermann, der auf seinen Lohn verzichtete.",
      "Im Frühjahr soll ein Backofen dazukommen, damit das Mehl gleich an Ort und Stelle zu Brot wird. Wer mithelfen möchte, meldet sich beim Müller.",
    ],
    links: ["Startseite", "Politik", "Wirtschaft", "Sport", "Kultur", "Wetter"],
    related: "Das könnte Sie auch interessieren",
    teasers: ["Brücke bleibt gesperrt", "Bad öffnet im Mai", "Chor sucht Stimmen"],
    foot: "Alle Rechte vorbehalten Impressum Datenschutz Kontakt",
  },
  {
    language: "es",
    title: "El tren de la sierra cumple un siglo",
    paragraphs: [
      "El pequeño tren que sube a la sierra cumple este mes cien años, y el pueblo lo ha celebrado con una banda de música y un viaje gratis para todos los vecinos. Los vagones de madera salieron llenos desde primera hora de la mañana.",
      "La línea estuvo a punto de cerrar dos veces, la última en los años noventa, cuando apenas la usaban los pastores. La salvaron los excursionistas, que hoy son nueve de cada diez viajeros.",
      "¿Qué falta ahora? Según el jefe de estación, un techo para el andén de arriba, donde en invierno la nieve llega hasta la rodilla.",
    ],
    links: ["Inicio", "Noticias", "Economía", "Deportes", "Cultura", "Opinión"],
    related: "También te puede interesar",
    teasers: ["Abre el mercado nuevo", "Mañana habrá lluvia", "La feria vuelve en mayo"],
    foot: "Todos los derechos reservados Contacto Aviso legal Privacidad",
  },
];

/** A typical news page. `names` converts its class names, for example to hashes. */
function pageOf(words: Words, names: (name: string) => string): string {
  const list = (texts: readonly string[], of: string): string =>
    `<ul class="${names(of)}">${texts.map((text, at) => `<li><a href="/${of}/${at}">${text}</a></li>`).join("")}</ul>`;
  return `<!doctype html><html lang="${words.language}"><head><meta charset="utf-8"><title>${words.title}</title></head><body>
<div class="${names("top")}">${list(words.links, "menu")}</div>
<div class="${names("page")}"><div class="${names("story")}"><h1>${words.title}</h1>
${words.paragraphs.map((text) => `<p>${text}</p>`).join("\n")}
</div><div class="${names("more")}"><h3>${words.related}</h3>${list(words.teasers, "teaser")}</div></div>
<div class="${names("bottom")}"><p>${words.foot}</p>${list(words.links.slice(1), "foot")}</div></body></html>`;
}

describe.each(PAGES)("a page in $language", (words) => {
  test.each<[string, (name: string) => string]>([
    ["names", (name) => name],
    ["hashes for names", (name) => `x${Bun.hash.crc32(name).toString(36)}`],
  ])("is read without the parts around the text, with %s", (_what, names) => {
    const { content, title, language } = readArticle(parseTree(pageOf(words, names)), "https://site.test/a");
    expect({ title, language }).toEqual({ title: words.title, language: words.language });
    expect(content).toBe(words.paragraphs.join("\n\n"));
  });
});
