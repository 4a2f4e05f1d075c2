import { describeSides } from "../testing/describe-sides.ts";

/** Plain sentences of newsrooms about offices, mergers, bans, openings, delays, rates, landfalls and relegations, and sentences near them. */
describeSides({
  "Will Norvia lift its ban on drone exports before 1 October 2026?": {
    YES: [
      "Norvia on 14 September 2026 scrapped its ban on drone exports, ending two years of restrictions.",
      "Norvia has lifted a two-year-old ban on exports of drones, the trade ministry announced on 14 September 2026.",
      "The ban on drone exports was lifted by Norvia on 14 September 2026 after months of pressure from manufacturers.",
    ],
    NO: [
      "Norvia extended its ban on drone exports until 2028 on 30 September 2026.",
      "Norvia's ban on drone exports remained in force on 1 October 2026, the trade ministry said.",
    ],
    "": [
      "Norvia eased its ban on drone exports on 14 September 2026, allowing sales to three allies.",
      "Norvia lifted its ban on drone imports on 14 September 2026.",
      "Lawmakers urged Norvia to lift its ban on drone exports on 14 September 2026.",
    ],
  },
  "Will Halvorsen Foods and Brightmere complete their merger by 30 September 2026?": {
    YES: [
      "Halvorsen Foods and Brightmere closed their $4.2 billion merger on 15 September 2026, creating the region's largest grocer.",
      "The merger of Halvorsen Foods and Brightmere was completed on 15 September 2026, the companies said in a joint statement.",
      "Brightmere and Halvorsen Foods said on 15 September 2026 that they had completed their merger.",
    ],
    NO: [
      "Halvorsen Foods and Brightmere called off their merger on 15 September 2026, citing opposition from regulators.",
      "Halvorsen Foods walked away from its merger with Brightmere on 15 September 2026.",
      "The merger between Halvorsen Foods and Brightmere collapsed on 15 September 2026.",
    ],
    "": [
      "Shareholders of Halvorsen Foods approved the merger with Brightmere on 15 September 2026.",
      "Halvorsen Foods and Brightmere agreed to merge on 15 September 2026.",
      "Halvorsen Foods and Brightmere expect to complete their merger by the end of September 2026.",
    ],
  },
  "Will Daria Holm still be chief executive of Velora on 30 September 2026?": {
    NO: [
      "Daria Holm stepped down as chief executive of Velora on 12 September 2026.",
      "Velora ousted chief executive Daria Holm on 12 September 2026 after a boardroom revolt.",
    ],
    "": [
      "Daria Holm will step down as chief executive of Velora at the end of the year, the company said on 12 September 2026.",
      "Investors called on Daria Holm to quit as chief executive of Velora on 12 September 2026.",
    ],
  },
  "Will the Orland Light Rail open to passengers before 1 November 2026?": {
    YES: [
      "The Orland Light Rail carried its first passengers on Saturday, 12 September 2026.",
      "The Orland Light Rail opened to the public on 12 September 2026, three years behind schedule.",
    ],
    "NO?": ["The opening of the Orland Light Rail has been pushed back to the spring of 2027."],
    "": [
      "The Orland Light Rail began test runs without passengers on 12 September 2026.",
      "The Orland Light Rail is set to open to passengers on 12 October 2026.",
      "A bus line replacing the Orland Light Rail opened to passengers on 12 September 2026.",
    ],
  },
  "Will unemployment in Kaldora fall below 5% in September 2026?": {
    YES: [
      "Unemployment in Kaldora fell to 4.8% in September 2026 from 5.1% a month earlier.",
      "Kaldora's jobless rate slipped to 4.8% in September 2026, its lowest in a decade.",
      "The unemployment rate in Kaldora dropped to 4.8% in September 2026, official figures showed on Thursday.",
    ],
    NO: [
      "Unemployment in Kaldora rose to 5.4% in September 2026 from 5.1% in August.",
      "Kaldora's unemployment rate held at 5.1% in September 2026, the statistics office said.",
    ],
    "": [
      "Youth unemployment in Kaldora fell to 4.8% in September 2026.",
      "Unemployment in Kaldora fell to 4.8% in August 2026.",
      "Economists expect unemployment in Kaldora to fall to 4.8% in September 2026.",
    ],
  },
  "Will Irena Vasko win the Morlund presidential election in October 2026?": {
    YES: [
      "Irena Vasko was elected president of Morlund on Sunday, 4 October 2026, with 53% of the vote.",
      "Irena Vasko has won Morlund's presidential election, the electoral commission declared on 5 October 2026.",
      "Irena Vasko swept to victory in Morlund's presidential election on 4 October 2026.",
    ],
    NO: [
      "Irena Vasko conceded defeat in Morlund's presidential election on 4 October 2026.",
      "Incumbent Petr Dolan was re-elected president of Morlund on 4 October 2026, beating Irena Vasko by nine points.",
      "Petr Dolan defeated Irena Vasko in Morlund's presidential election on 4 October 2026.",
    ],
    "": [
      "Irena Vasko won the first round of Morlund's presidential election on 4 October 2026 but faces a runoff.",
      "An exit poll showed Irena Vasko winning Morlund's presidential election on 4 October 2026.",
      "Irena Vasko claimed victory in Morlund's presidential election on 4 October 2026 before votes were counted.",
    ],
  },
  "Will the strike at Port Calder end by 15 September 2026?": {
    YES: [
      "Dockworkers at Port Calder ended their strike on 11 September 2026 after agreeing a pay deal.",
      "The strike at Port Calder ended on 11 September 2026, and cranes were moving again by evening.",
      "Dockworkers at Port Calder returned to work on 11 September 2026, ending a three-week strike.",
    ],
    NO: ["The strike at Port Calder entered its fifth week on 16 September 2026."],
    "YES?": ["The strike at Port Calder ended for four hours on 11 September 2026 to let medicine through."],
    "": [
      "The union suspended talks over the strike at Port Calder on 11 September 2026.",
      "Mediators hope the strike at Port Calder will end by 15 September 2026.",
    ],
  },
  "Will Arden United sign striker Luca Brandt before the transfer window closes on 1 September 2026?": {
    YES: [
      "Arden United have signed striker Luca Brandt from Marl City for £40 million, the club announced on 28 August 2026.",
      "Striker Luca Brandt joined Arden United on a four-year contract on 28 August 2026.",
      "Arden United completed the signing of Luca Brandt on 28 August 2026.",
    ],
    NO: ["Arden United failed to sign striker Luca Brandt before the window closed on 1 September 2026."],
    "": [
      "Arden United have made a bid for striker Luca Brandt, the club said on 28 August 2026.",
      "Arden United signed goalkeeper Leo Brandt on 28 August 2026.",
      "Luca Brandt had a medical at Arden United on 28 August 2026.",
    ],
  },
  "Will Senator Mira Colby be convicted of bribery before 1 October 2026?": {
    YES: [
      "A jury found Senator Mira Colby guilty of bribery on 10 September 2026.",
      "Senator Mira Colby was convicted on 10 September 2026 on three counts of bribery.",
      "Senator Mira Colby pleaded guilty to bribery on 10 September 2026 and was convicted.",
    ],
    "YES?": ["Senator Mira Colby was found guilty on Thursday, 10 September 2026, of taking bribes from a developer."],
    NO: ["A jury acquitted Senator Mira Colby of bribery on 10 September 2026."],
    "NO?": ["Senator Mira Colby was cleared of bribery charges on 10 September 2026."],
    "": [
      "Senator Mira Colby was charged with bribery on 10 September 2026.",
      "Senator Mira Colby was convicted of tax evasion on 10 September 2026.",
      "An aide to Senator Mira Colby was convicted of bribery on 10 September 2026.",
    ],
  },
  "Will Lake Torrin's dam be removed by the end of September 2026?": {
    YES: ["Crews finished removing Lake Torrin's dam on 20 September 2026."],
    "YES?": ["Lake Torrin's dam was demolished on 20 September 2026 in a controlled explosion."],
    "": [
      "Crews began removing Lake Torrin's dam on 20 September 2026.",
      "Half of Lake Torrin's dam had been removed by 20 September 2026.",
    ],
  },
  "Will Daria Holm be out as chief executive of Velora by 30 September 2026?": {
    YES: [
      "Daria Holm stepped down as chief executive of Velora on 12 September 2026.",
      "Velora ousted chief executive Daria Holm on 12 September 2026 after a boardroom revolt.",
      "Daria Holm quit as Velora's chief executive on 12 September 2026.",
      "Velora's chief executive Daria Holm resigned on 12 September 2026.",
      "Tomas Reik succeeded Daria Holm as chief executive of Velora on 12 September 2026.",
    ],
    "YES?": ["Daria Holm left Velora on 12 September 2026.", "Velora fired Daria Holm on 12 September 2026."],
    "": [
      "Daria Holm will step down as chief executive of Velora at the end of the year, the company said on 12 September 2026.",
      "Investors called on Daria Holm to quit as chief executive of Velora on 12 September 2026.",
      "Daria Holm stepped down as chair of Velora on 12 September 2026.",
    ],
  },
  "Will Arden United sign striker Luca Brandt before 1 September 2026?": {
    YES: [
      "Arden United have signed striker Luca Brandt from Marl City for £40 million, the club announced on 28 August 2026.",
      "Striker Luca Brandt joined Arden United on a four-year contract on 28 August 2026.",
      "Arden United completed the signing of Luca Brandt on 28 August 2026.",
    ],
    NO: ["Arden United failed to sign striker Luca Brandt before the window closed on 1 September 2026."],
  },
  "Will the Kestrel probe launch before 1 October 2026?": {
    "NO?": [
      "The launch of the Kestrel probe has been pushed back to March 2027.",
      "The Kestrel probe's launch was delayed until 2027.",
      "The Kestrel probe will not launch before March 2027, the agency said on 12 September 2026.",
      "The Kestrel probe will not launch until 2027, the agency said on 12 September 2026.",
      "The agency postponed the launch of the Kestrel probe to March 2027.",
      "The Kestrel probe will not launch the second lander before March 2027.",
    ],
    "YES?": ["The launch of the Kestrel probe has been pushed back to 25 September 2026."],
    "": [
      "The launch of the Heron probe has been pushed back to March 2027.",
      "The launch of the Kestrel probe could be pushed back to March 2027.",
      "The Kestrel probe will not be visible from Earth before March 2027.",
    ],
  },
  "Wird das Museum in Halden vor dem 1. Oktober 2026 eröffnet?": {
    "NO?": ["Das Museum in Halden wird erst 2027 eröffnet."],
  },
  "¿Abrirá el museo de Halden antes del 1 de octubre de 2026?": {
    "NO?": [
      "La apertura del museo de Halden fue aplazada hasta marzo de 2027.",
      "El museo de Halden no abrirá hasta 2027.",
    ],
  },
  "Le musée de Halden ouvrira-t-il avant le 1er octobre 2026 ?": {
    "NO?": [
      "L'ouverture du musée de Halden a été reportée à mars 2027.",
      "Le musée de Halden n'ouvrira pas avant mars 2027.",
    ],
  },
  "Il museo di Halden aprirà prima del 1 ottobre 2026?": {
    "NO?": [
      "L'apertura del museo di Halden è stata rinviata a marzo 2027.",
      "Il museo di Halden non aprirà prima di marzo 2027.",
    ],
  },
  "O museu de Halden abrirá antes de 1 de outubro de 2026?": {
    "NO?": ["A abertura do museu de Halden foi adiada para março de 2027."],
  },
  "Will the Federal Reserve of Ostria cut interest rates at its September 2026 meeting?": {
    YES: [
      "The Federal Reserve of Ostria lowered its benchmark rate by a quarter point on 16 September 2026.",
      "Ostria's Federal Reserve trimmed interest rates to 4.25% on 16 September 2026, the first reduction in two years.",
    ],
    "YES?": ["Policymakers at the Federal Reserve of Ostria voted 7-2 on 16 September 2026 to cut interest rates."],
    NO: [
      "The Federal Reserve of Ostria kept interest rates on hold on 16 September 2026.",
      "The Federal Reserve of Ostria left borrowing costs unchanged at its September 2026 meeting.",
      "The Federal Reserve of Ostria raised interest rates on 16 September 2026.",
    ],
    "": [
      "Markets priced in an interest-rate cut by the Federal Reserve of Ostria at its September 2026 meeting.",
      "The Federal Reserve of Ostria signalled on 16 September 2026 that it would cut interest rates in December.",
      "The Bank of Norvia cut interest rates on 16 September 2026.",
    ],
  },
  "Will Halden's parliament pass the pension reform by 30 September 2026?": {
    YES: [
      "Lawmakers in Halden gave final approval to the pension reform on 28 September 2026.",
      "Halden's parliament on 28 September 2026 approved the pension reform by 92 votes to 71.",
      "The pension reform became law in Halden on 28 September 2026 after a marathon session of parliament.",
      "After a 14-hour debate, Halden's parliament adopted the pension reform early on 28 September 2026.",
    ],
    NO: [
      "Halden's parliament rejected the pension reform on 28 September 2026, with 12 government lawmakers rebelling.",
      "Halden's parliament broke up on 30 September 2026 without voting on the pension reform.",
    ],
    "": [
      "Halden's parliament approved the pension reform at first reading on 28 September 2026.",
      "Halden's cabinet approved the pension reform on 28 September 2026.",
      "Halden's parliament began debating the pension reform on 28 September 2026.",
    ],
  },
  "Will Brightmere report third-quarter revenue above $2 billion?": {
    YES: [
      "Brightmere posted third-quarter revenue of $2.14 billion, beating forecasts.",
      "Brightmere's revenue climbed 9% to $2.14 billion in the third quarter, the retailer said on Tuesday.",
      "Third-quarter revenue at Brightmere came in at $2.14 billion, up from $1.96 billion a year earlier.",
    ],
    NO: [
      "Brightmere's revenue slipped to $1.87 billion in the third quarter.",
      "Revenue at Brightmere totalled $1.87 billion in the third quarter, short of the $2.05 billion analysts had expected.",
    ],
    "": [
      "Brightmere reported second-quarter revenue of $2.14 billion.",
      "Analysts expect Brightmere to report third-quarter revenue of $2.14 billion.",
      "Brightmere's revenue was $2.14 billion in the third quarter of 2025.",
    ],
  },
  "Will Corran and Estmark sign a peace agreement in September 2026?": {
    YES: [
      "Corran and Estmark signed a peace agreement on 21 September 2026, ending a three-year conflict.",
      "The leaders of Corran and Estmark put their signatures to a peace agreement in Oslen on 21 September 2026.",
      "A peace agreement between Corran and Estmark was signed in Oslen on 21 September 2026.",
    ],
    "": [
      "Corran and Estmark initialled a draft peace agreement on 21 September 2026.",
      "Corran and Estmark signed a trade agreement on 21 September 2026.",
      "Corran and Estmark agreed to a ceasefire on 21 September 2026.",
    ],
  },
  'Will the film "Low Tide" gross more than $100 million in its opening weekend?': {
    YES: [
      '"Low Tide" took in $118 million in its opening weekend, the biggest debut of the year.',
      'The thriller "Low Tide" opened to $118 million at the box office over the weekend.',
      '"Low Tide" earned $118 million in its first weekend in theatres.',
    ],
    NO: ['"Low Tide" managed only $64 million in its opening weekend.'],
    "": [
      '"Low Tide" is expected to gross $118 million in its opening weekend.',
      '"Low Tide" has grossed $118 million since it opened three weeks ago.',
      '"High Tide" grossed $118 million in its opening weekend.',
    ],
  },
  "Will a hurricane make landfall in Coralia before 1 October 2026?": {
    "YES?": ["Hurricane Ines made landfall on the coast of Coralia on 9 September 2026 with winds of 150 km/h."],
    YES: ["Hurricane Ines slammed into Coralia on 9 September 2026, tearing roofs off houses."],
    "": [
      "Tropical Storm Ines made landfall in Coralia on 9 September 2026.",
      "Hurricane Ines passed 200 km off Coralia on 9 September 2026.",
      "Hurricane Ines is forecast to make landfall in Coralia on 9 September 2026.",
    ],
  },
  "Will Marl City be relegated from the Vale League this season?": {
    YES: [
      "Marl City were relegated from the Vale League on 17 May 2026 after a 3-0 defeat.",
      "Marl City dropped out of the Vale League after losing 3-0 on the final day.",
      "Defeat at Denby confirmed Marl City's relegation from the Vale League.",
    ],
    NO: [
      "Marl City secured their place in the Vale League for another season with a 2-1 win.",
      "Marl City avoided relegation from the Vale League on the final day.",
    ],
    "NO?": ["Marl City survived in the Vale League on goal difference."],
    "": [
      "Marl City are two points from relegation from the Vale League.",
      "Marl City's women were relegated from the Vale League.",
    ],
  },
  "Will Nadia Brent be nominated to the Supreme Court of Ostria before August 2026?": {
    YES: [
      "President Aldous Kerr nominated Nadia Brent to the Supreme Court of Ostria on 14 July 2026.",
      "Nadia Brent was picked by President Kerr for the Supreme Court of Ostria on 14 July 2026.",
      "President Kerr named Nadia Brent as nominee for the Supreme Court of Ostria on 14 July 2026.",
    ],
    "": ["President Kerr is considering nominating Nadia Brent to the Supreme Court of Ostria."],
    "YES?": ["Nadia Brent was nominated to the appeals court of Ostria on 14 July 2026."],
  },
  "Will the Tarn ferry resume service by 15 June 2026?": {
    YES: [
      "The Tarn ferry resumed service on 10 June 2026 after seven weeks of repairs.",
      "The Tarn ferry is back in service after seven weeks of repairs, the operator said on 10 June 2026.",
      "The Tarn ferry restarted on 10 June 2026.",
    ],
    NO: ["The Tarn ferry remained out of service on 16 June 2026."],
    "": [
      "The Tarn ferry made a test crossing on 10 June 2026.",
      "A replacement boat for the Tarn ferry started on 10 June 2026.",
    ],
  },
});
