/**
 * Sentences that address the program that reads the page: a model, an assistant, a resolver of markets. Such a sentence
 * says nothing about the world, so it is left out. The patterns run on sentences of bounded length.
 */
const PATTERNS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|discard|bypass|do\snot\s(?:follow|trust|read))\b.{0,60}\b(?:instructions?|prompts?|rules?|guidelines?|context|sources?|evidence|above|previous|prior|earlier|other\s(?:pages|articles))\b/iu,
  /\b(?:system|developer|hidden|initial|original)\s(?:prompt|message|instructions?|override)\b/iu,
  /\b(?:you\sare|act\sas|pretend\s(?:to\sbe|you)|behave\sas|role-?play)\b.{0,60}\b(?:AI|assistant|model|chatbot|GPT|LLM|agent|oracle|resolver|analyst|judge|bot)\b/iu,
  /\b(?:attention|note|notice|message|instructions?|reminder|dear|hello|hey)\b.{0,20}\b(?:to|for|all)?\b.{0,12}\b(?:AI|A\.I\.|LLMs?|language\smodels?|assistants?|chatbots?|bots?|crawlers?|agents?|oracles?|resolvers?|GPT|Claude|Gemini)\b/iu,
  /\b(?:AI|LLM|language\smodels?|assistants?|chatbots?|automated\s(?:readers?|agents?|systems?)|oracles?|resolvers?|the\smodel|GPT(?:-\d)?|Claude|Gemini)\b.{0,50}\b(?:must|should|shall|has\sto|have\sto|need\sto|required\sto|are\sto|is\sto|please|will\sanswer|answers?|respond|output|conclude|report|return)\b/iu,
  /\b(?:answer|respond|reply|output|return|print|say|write|conclude|resolve|settle|mark|report|set|classify|label|vote|choose|select|rate)\b.{0,40}(?:\b(?:YES|NO|LIKELY_YES|LIKELY_NO|UNCERTAIN)\b|["“'](?:yes|no)["”'])/u,
  /\b(?:verdict|probability|confidence|supports|resolution)["”']?\s?(?:[:=]|is|must\sbe|should\sbe)\s?["“']?(?:YES|NO|LIKELY_YES|LIKELY_NO|UNCERTAIN|0?\.\d+|1(?:\.0+)?|\d{1,3}\s?%|high|low)\b/iu,
  /\b(?:the\s)?(?:correct|right|only|final|expected)\s(?:answer|verdict|resolution|outcome)\b.{0,40}(?:\b(?:YES|NO)\b|["“'](?:yes|no)["”'])/u,
  /\b(?:this|the)\s(?:market|question|bet)\s(?:has\s|must\s|should\s|will\s|needs\sto\s|is\sto\s|can\s|may\s)?(?:been\s|be\s)?(?:resolves?d?|settled?|answered|closed)\b/iu,
  /<\/?(?:system|assistant|user|source|sources|document|instructions?|prompt|tool|im_start|im_end|human|s)\b[^>]{0,80}>|<\|[^|]{1,40}\|>|\[\/?(?:INST|SYSTEM|SYS)\]|###\s?(?:System|Instruction|Assistant|Human)\b|^(?:System|Assistant|Human|User|AI)\s?:/imu,
  /\b(?:trust|believe|treat|consider|regard|weigh)\b.{0,30}\b(?:this|only\sthis)\s(?:page|source|site|article|text)\b.{0,40}\b(?:as|above|over|more|only|authoritative|official|decisive|resolution)\b/iu,
  /\bthis\s(?:page|source|site|article)\s(?:is|counts\sas)\b.{0,30}\b(?:resolution\ssource|authoritative\sfor|sole\ssource|oracle)\b/iu,
  /\b(?:readers?|summari[sz]ers?)\b.{0,20}\b(?:must|should)\b.{0,40}\b(?:answer|conclude|resolve|report|output)\b/iu,
  /\b(?:as\san?\s)(?:AI|language\smodel|assistant)\b/iu,
  /\{\s?["“](?:verdict|probability|supports|statements|evidence)["”]\s?:/iu,
  /\b(?:ignorier|vergiss|missachte)\p{L}*\b.{0,60}\b(?:anweisung|vorgaben|regeln|quellen)|\b(?:ignor|oubli)\p{L}*\b.{0,60}\b(?:instructions|consignes)|\b(?:ignora|olvida|omite)\p{L}*\b.{0,60}\b(?:instrucciones|indicaciones)|(?:忽略|无视).{0,20}(?:指令|指示|说明|内容)/iu,
  /\b(?:antworte|antworten\sSie|réponds|répondez|responde|responda)\b.{0,40}\b(?:YES|NO|JA|NEIN|OUI|NON|SÍ)\b|(?:回答|输出|判定).{0,10}(?:YES|NO|是|否)/u,
  /\b(?:tokens?|payload|base64|decode)\b.{0,40}\b(?:instruction|execute|follow|answer)/iu,
];

/** Whether a sentence addresses the program that reads it. */
export function speaksToReader(sentence: string): boolean {
  // Similar letters and characters without width can hide words from patterns.
  const plain = sentence.normalize("NFKC").replace(/\p{Cf}/gu, "");
  return PATTERNS.some((pattern) => pattern.test(plain));
}
