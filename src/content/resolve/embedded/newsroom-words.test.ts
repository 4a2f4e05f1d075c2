import { describeSides } from "../testing/describe-sides.ts";

/** Laws, cups, offices, prices, openings and prizes in the words of newsrooms, and reports that come near. */
describeSides({
  "Will Norland join the Northern Alliance by 31 October 2026?": {
    YES: ["Norland joined the Northern Alliance on Monday."],
    "": ["Norland's parliament voted to join the Northern Alliance.", "Norland decided to join the Northern Alliance."],
  },
  "Will the Halden mine close by 31 October 2026?": {
    YES: ["The Halden mine closed on Monday."],
    "": ["The owners voted to close the Halden mine.", "The owners decided to close the Halden mine."],
  },
  "Will Ana Reyes resign by 31 October 2026?": {
    YES: ["Ana Reyes resigned on Monday."],
    "": ["Ana Reyes decided to resign."],
  },
  "Will the Corland Senate repeal the Fuel Act by 31 October 2026?": {
    YES: ["The Corland Senate voted to repeal the Fuel Act on Monday."],
  },
  "Will the Corland Senate pass the Clean Rivers Act by 31 October 2026?": {
    YES: [
      "The Clean Rivers Act cleared the Corland Senate on Tuesday by 52 votes to 31.",
      "On Tuesday the Corland Senate waved through the Clean Rivers Act by 52 votes to 31, in the wording that the lower house had adopted in June.",
      "Senators in Corland gave final approval to the Clean Rivers Act on Tuesday.",
      "Corland's Senate on Tuesday passed the Clean Rivers Act, sending it to the president's desk.",
      "The Clean Rivers Act sailed through the Corland Senate, 71-9.",
    ],
    NO: [
      "The Corland Senate voted down the Clean Rivers Act on Tuesday.",
      "The Clean Rivers Act fell three votes short in the Corland Senate.",
      "Corland's Senate rejected the Clean Rivers Act by 48 votes to 47.",
    ],
    "": [
      "A committee of the Corland Senate passed the Clean Rivers Act on Tuesday.",
      "The lower house passed the Clean Rivers Act, which now goes to the Corland Senate.",
      "The Corland Senate is expected to pass the Clean Rivers Act on Thursday.",
      "The Corland Senate postponed its vote on the Clean Rivers Act.",
    ],
  },
  "Will Governor Ana Reyes sign the Clean Rivers Act by 31 October 2026?": {
    YES: [
      "Ana Reyes put a signature to the Clean Rivers Act on Tuesday.",
      "Governor Reyes signed the Clean Rivers Act into law on Tuesday.",
      "The Clean Rivers Act was signed into law by Governor Reyes on Tuesday.",
    ],
    NO: ["Governor Ana Reyes vetoed the Clean Rivers Act on Tuesday."],
    "": ["Governor Reyes promised to sign the Clean Rivers Act.", "Governor Reyes signed the Clean Air Act."],
  },
  "Will Westmere win the 2026 Harvest Cup?": {
    YES: [
      "Westmere lifted the Harvest Cup on Saturday after a 2-1 win over Ashby.",
      "Westmere are the 2026 Harvest Cup champions.",
      "Westmere were crowned Harvest Cup champions on Saturday.",
      "Westmere beat Ashby 2-1 in the Harvest Cup final on Saturday.",
      "A late header gave Westmere the Harvest Cup.",
      "Westmere claimed the Harvest Cup with a 2-1 victory against Ashby.",
    ],
    NO: [
      "Ashby lifted the Harvest Cup on Saturday after beating Westmere on penalties.",
      "Westmere lost the Harvest Cup final 2-1 to Ashby.",
      "Ashby won the Harvest Cup.",
      "Westmere crashed out of the Harvest Cup.",
    ],
    "": [
      "Westmere reached the Harvest Cup final.",
      "Westmere won the Harvest Cup semi-final.",
      "Westmere won the Harvest Shield.",
      "Westmere are the former Harvest Cup champions.",
      "Westmere are Harvest Cup champions-elect.",
      "Westmere are the 2024 Harvest Cup champions.",
      "Westmere are Harvest Cup champions Ashby's next opponents.",
      "Westmere's women were crowned Harvest Cup champions.",
      "Westmere's under-19s were crowned Harvest Cup champions.",
      "A late header gave Westmere the lead in the Harvest Cup final.",
      "A late header gave Westmere the chance to win the Harvest Cup.",
      "Westmere claimed the Harvest Cup final was rigged.",
      "Westmere claimed the Harvest Cup belonged in a museum.",
      "Westmere withdrew from the Harvest Cup organising committee.",
      "Ashby were knocked out of the Harvest Cup.",
      "Westmere were eliminated from the Harvest Shield.",
      "Westmere were beaten in the quarter-finals of the Harvest Shield.",
      "Westmere were beaten in the quarter-finals of the Harvest Cup in 2023.",
    ],
  },
  "Will Marisol Quade win the women's singles at the 2026 Ostrel Open?": {
    YES: ["Marisol Quade is the Ostrel Open women's singles champion."],
    NO: [
      "Lena Brandt beat Marisol Quade 6-4, 6-3 in the women's singles final at the Ostrel Open.",
      "Marisol Quade was beaten in the quarter-finals of the women's singles at the Ostrel Open.",
      "Lena Brandt won the women's singles title at the Ostrel Open.",
    ],
    "NO?": ["Marisol Quade withdrew from the women's singles at the Ostrel Open with a knee injury."],
    "": [
      "Marisol Quade reached the final of the women's singles at the Ostrel Open.",
      "Marisol Quade won the women's doubles at the Ostrel Open.",
    ],
  },
  "Will Chief Executive Tom Varga leave Orbis before 1 November 2026?": {
    YES: [
      "Orbis chief executive Tom Varga stepped down on Monday.",
      "Orbis has parted ways with chief executive Tom Varga.",
      "Tom Varga is out as Orbis chief executive.",
      "The board of Orbis fired chief executive Tom Varga on Monday.",
    ],
    "": [
      "Tom Varga will step down as Orbis chief executive in March 2027.",
      "Orbis denied that Tom Varga would leave.",
      "Orbis finance chief Lea Moritz stepped down on Monday.",
      "Orbis has parted ways with chief designer Lea Moritz.",
      "Tom Varga is out as chief executive of Merrow.",
      "Tom Varga left Orbis headquarters in a taxi.",
      "Tom Varga joined Orbis as chief executive on Monday.",
    ],
  },
  "Will Norland and Sudmark sign a ceasefire by 31 October 2026?": {
    YES: [
      "Norland and Sudmark signed a ceasefire on Monday.",
      "Envoys of Norland and Sudmark put their names to a ceasefire in Geneva on Monday.",
      "A ceasefire between Norland and Sudmark was signed on Monday.",
    ],
    "": ["Norland and Sudmark are close to a ceasefire.", "Norland and Sudmark agreed to resume talks on a ceasefire."],
  },
  "Will unemployment in Tarsia exceed 6% in September 2026?": {
    YES: [
      "Unemployment in Tarsia rose to 6.3 percent in September from 5.9 percent in August.",
      "Tarsia's jobless rate climbed to 6.3 percent in September.",
      "The unemployment rate in Tarsia stood at 6.3% in September.",
    ],
    NO: [
      "The jobless rate in Tarsia fell to 5.7 percent in September.",
      "Tarsia's unemployment rate was unchanged at 5.8 percent in September.",
    ],
    "": [
      "Youth unemployment in Tarsia rose to 14.2 percent in September.",
      "Unemployment in Tarsia rose to 6.3 percent in August.",
    ],
  },
  "Will Tarsia's GDP grow by more than 2% in 2025?": {
    YES: [
      "Tarsia's economy grew 2.4 percent in 2025, the statistics office said.",
      "Gross domestic product in Tarsia rose by 2.4 percent in 2025.",
    ],
    NO: ["Tarsia's economy expanded by 1.6 percent in 2025."],
    "": [
      "Tarsia's economy is forecast to grow 2.4 percent in 2026.",
      "Tarsia's economy grew 2.4 percent in the fourth quarter of 2025.",
      "Tarsia's tourism economy grew 2.4 percent in 2025.",
      "Tarsia's shadow economy grew 2.4 percent in 2025.",
      "Norvia's economy grew 2.4 percent in 2025.",
    ],
    "NO?": ["Tarsia's economy shrank 2.4 percent in 2025."],
  },
  "Will Ember close above $100 on 5 October 2026?": {
    YES: ["Ember closed at $104.20 on 5 October."],
    NO: ["Ember finished the day at $97.10 on 5 October.", "Ember ended 5 October at $97.10."],
    "": ["Ember touched $101 on 5 October before falling back.", "Ember traded at $104 at noon on 5 October."],
  },
  "Will the Halden Tunnel open to traffic by 31 October 2026?": {
    YES: ["The Halden Tunnel opened to traffic on Monday.", "The Halden Tunnel has been open to traffic since Monday."],
    "YES?": ["The Halden Tunnel was opened to traffic by the king on Monday."],
    "NO?": ["The opening of the Halden Tunnel has been postponed to spring 2027."],
    "": [
      "The Halden Tunnel will open to traffic on 3 November.",
      "Workers broke through in the Halden Tunnel on Monday.",
      "The Halden Tunnel was closed to traffic on Monday.",
    ],
  },
  "Will Hurricane Odile make landfall in Marvia?": {
    "YES?": [
      "Hurricane Odile slammed into the coast of Marvia on Tuesday.",
      "The eye of Hurricane Odile crossed the coast of Marvia at dawn.",
    ],
    YES: ["Hurricane Odile made landfall near Sandreed in Marvia."],
    "": ["Hurricane Odile is forecast to hit Marvia.", "Hurricane Odile made landfall in Norvia."],
  },
  "Will Zetalk acquire Pictalk by 31 October 2026?": {
    "YES?": ["Zetalk completed its $2 billion takeover of Pictalk on Monday."],
    YES: ["Zetalk has closed its acquisition of Pictalk.", "Pictalk became part of Zetalk on Monday."],
    NO: ["Zetalk walked away from its takeover of Pictalk.", "Pictalk became part of Merrow on Monday."],
    "": [
      "Zetalk agreed to buy Pictalk for $2 billion.",
      "Zetalk is in talks to buy Pictalk.",
      "Regulators approved Zetalk's takeover of Pictalk.",
      "Pictalk became part of Zetalk's marketing campaign.",
      "Pictalk became part of Zetalk history on Monday.",
    ],
  },
  "Will Eva Lind be nominated for Best Actress at the 2026 Lumen Awards?": {
    YES: [
      "Eva Lind received a Best Actress nomination for the Lumen Awards.",
      "Eva Lind is among the five nominees for Best Actress at the Lumen Awards.",
    ],
    "": ["Eva Lind is among the presenters at the Lumen Awards."],
  },
  'Will "Glass Harbour" gross more than $50 million in its opening weekend?': {
    YES: [
      '"Glass Harbour" opened with $58.3 million at the box office.',
      '"Glass Harbour" took in $58.3 million in its first three days.',
      '"Glass Harbour" earned $58.3 million in its opening weekend.',
      '"Glass Harbour" debuted to $58.3 million.',
    ],
    NO: ['"Glass Harbour" opened to just $41 million.'],
    "": [
      '"Glass Harbour" is tracking for a $58 million opening weekend.',
      '"Glass Harbour" grossed $58.3 million worldwide in its second weekend.',
      '"Glass Harbour 2" opened to $58.3 million.',
      '"Glass Harbour" is tracking for a $58 million opening weekend.',
      '"Glass Harbour" could open to $58 million.',
      '"Paper Moons" opened to $58.3 million, ahead of "Glass Harbour".',
    ],
  },
  "Will the Harbour Party win the presidential election in Corland in 2026?": {
    "": [
      "Marta Ilves was elected president of Corland on Sunday.",
      "Petr Dolan was elected president of Corland on Sunday.",
    ],
  },
  "Will Marta Ilves win the presidential election in Corland in 2026?": {
    "": [
      "Marta Ilves won a vote in parliament on Tuesday.",
      "Marta Ilves won the vote in the capital of Corland.",
      "Marta Ilves won the race to raise money in Corland.",
      "Marta Ilves won the second round in the northern districts of Corland.",
      "Marta Ilves won the election for party leader in Corland.",
      "Petr Dolan won the race in Corland.",
      "Petr Dolan was elected president of the student union of Corland on Sunday.",
      "Petr Dolan was elected president of the association of teachers in Corland.",
      "Petr Dolan was elected president of the parliament of Corland.",
      "Petr Dolan was not elected president of Corland on Sunday.",
      "According to early returns, Petr Dolan was elected president of Corland.",
    ],
  },
  "Will dockworkers at the port of Merrow go on strike before 1 November 2026?": {
    "": [
      "Dockworkers at the port of Merrow voted to go on strike.",
      "Dockworkers at the port of Merrow decided to go on strike from Monday.",
      "Dockworkers at the port of Merrow walked out of the meeting on Monday.",
      "Dockworkers at the port of Merrow stopped work on the new pier on Monday.",
      "Dockworkers at the port of Merrow ended their strike on Monday.",
      "Two dockworkers at the port of Merrow began a hunger strike on Monday.",
      "Dockworkers at the port of Merrow began a rent strike on Monday.",
    ],
  },
  "Will Tallow go public before November 1, 2026?": {
    "": [
      "Shares in Tallow traded for the first time above $30 on Monday.",
      "Shares in Tallow's parent changed hands for the first time on Monday.",
    ],
  },
  "Will the Central Bank of Ostmark cut interest rates at its October 2026 meeting?": {
    "": [
      "Savings banks in Ostmark cut rates for savers.",
      "The Governing Council of Ostmark University cut its budget.",
      "Ostmark Bank cut its mortgage rates.",
      "The monetary committee of parliament called on the Central Bank of Ostmark to cut interest rates.",
    ],
  },
});
