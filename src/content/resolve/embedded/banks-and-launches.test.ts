import { describeSides } from "../testing/describe-sides.ts";

/** Central banks, verdicts, seasons, listings, launches, prices and strikes in the words of newsrooms, and reports that come near. */
describeSides({
  "Will the Central Bank of Ostmark cut its policy rate at its October 2026 meeting?": {
    YES: [
      "The Central Bank of Ostmark decided to lower the policy rate by 0.25 percentage points to 4.50 percent.",
      "At its meeting today the Central Bank of Ostmark decided to lower the policy rate by 0.25 percentage points to 4.50 percent.",
      "At its meeting today the Executive Board of the Central Bank of Ostmark decided to lower the policy rate by 0.25 percentage points to 4.50 percent.",
    ],
    "": [
      "The Executive Board of the Central Bank of Tarsia decided to lower the policy rate.",
      "The Executive Board of Ostmark Steel decided to lower its prices.",
    ],
  },
  "Will the Bank of Tarsia raise interest rates at its October 2026 meeting?": {
    "NO?": [],
    NO: [
      "The Bank of Tarsia kept its key rate at 3.75 percent.",
      "The Bank of Tarsia held rates steady.",
      "The Bank of Tarsia's monetary committee left its key interest rate unchanged.",
      "The Bank of Tarsia maintained its policy rate.",
    ],
    YES: [
      "The Bank of Tarsia increased its policy rate by a quarter point to 4 percent.",
      "The Bank of Tarsia lifted its benchmark rate by 25 basis points.",
      "The Bank of Tarsia hiked its main rate.",
    ],
    "": ["The Bank of Tarsia raised its inflation forecast."],
  },
  "Will former warden Silas Crewe be convicted of manslaughter?": {
    "NO?": ["A jury has today acquitted Silas Crewe of one count of manslaughter by gross negligence."],
    NO: ["Silas Crewe was found not guilty of manslaughter.", "Jurors cleared Silas Crewe of manslaughter."],
    YES: ["A jury found Silas Crewe guilty of manslaughter."],
    "": ["A jury acquitted Silas Crewe of perjury.", "A jury acquitted Silas Crewe's deputy of manslaughter."],
  },
  'Will "Tidewatch" be renewed for a third season by 31 December 2026?': {
    YES: [
      "Plume TV has ordered a third season of its hit mystery Tidewatch.",
      'Plume has picked up "Tidewatch" for a third run, ending weeks of anxiety among fans.',
      'Plume has renewed "Tidewatch" for a third season.',
      '"Tidewatch" has been renewed for a third season.',
      'Plume commissioned a third series of "Tidewatch".',
    ],
    "": [
      'Plume ordered a second season of "Tidewatch".',
      'Plume is considering a third season of "Tidewatch".',
      'Fans want Plume to order a third season of "Tidewatch".',
      'Plume has ordered a third season of "Nine Lives".',
    ],
  },
  "Will the merger of Kestrel Air and Dunlin Airways be completed in 2026?": {
    NO: [
      "Kestrel Air and Dunlin Airways have terminated their merger agreement.",
      "Kestrel Air and Dunlin Airways called off their merger.",
      "Kestrel Air and Dunlin Airways decided to abandon the merger.",
    ],
    YES: ["Kestrel Air and Dunlin Airways completed their merger on 1 October."],
    "": ["Kestrel Air and Dunlin Airways agreed to extend the merger agreement."],
  },
  "Will Tallow go public before November 1, 2026?": {
    YES: [
      "Shares in food-delivery firm Tallow changed hands for the first time on Monday, opening at $28 and closing at $31.40.",
      "Tallow shares began trading on Monday.",
      "Tallow made its stock market debut on Monday.",
    ],
    "YES?": ["Shares of Tallow started trading on the Carrow exchange on Monday."],
    "": [
      "Tallow filed for an initial public offering on Monday.",
      "Shares of Oxbow began trading on Monday.",
      "Trading in shares of Tallow was suspended.",
    ],
  },
  'Will the video game "Pellucid 3" be released by October 31, 2026?': {
    "NO?": [
      "We have moved the release of Pellucid 3 to 18 February 2027 on all platforms.",
      'The release of "Pellucid 3" has been moved to 18 February 2027.',
    ],
  },
  "Will the Corvo IV rocket make its first flight by September 30, 2026?": {
    NO: [
      "Corvo IV left the pad at Cape Sorrow at 11:04 on Thursday 1 October and put four small satellites into orbit.",
      "Corvo IV made its first flight on 1 October.",
      "Corvo IV flew for the first time on 1 October.",
    ],
    YES: [
      "Corvo IV made its maiden flight on 29 September.",
      "Corvo IV lifted off on its maiden flight on 29 September.",
    ],
    "": ["Corvo III lifted off on 29 September."],
  },
  "Will the Aster-2 lander touch down softly on the Moon in 2026?": {
    YES: [
      "Aster-2 has pulled off a gentle landing on the Moon.",
      "Aster-2 made a soft landing on the Moon.",
      "Aster-2 touched down softly on the Moon.",
    ],
    "": ["Aster-2 entered orbit around the Moon."],
  },
  "Will Southland's annual inflation rate for September 2026 be below 3%?": {
    YES: [
      "Cheaper petrol pulled Southland's inflation rate down to 2.8 percent in September.",
      "Consumer prices in Southland rose 2.8 percent in September from a year earlier.",
      "Annual inflation in Southland slowed to 2.8 percent in September.",
    ],
    "YES?": ["Consumer prices in Southland were 2.8 percent higher in September than a year earlier."],
    NO: ["Consumer prices in Southland rose 3.4 percent in the year to September."],
    "": [
      "Consumer prices in Southland rose 0.2 percent in September from August.",
      "Food prices in Southland rose 2.8 percent in the year to September.",
      "Producer prices in Southland rose 2.8 percent in the year to September.",
      "Core inflation in Southland was 2.8 percent in September.",
    ],
  },
  "Will dockworkers at the port of Merrow go on strike before 1 November 2026?": {
    YES: [
      "Dockworkers at the port of Merrow walked off the job on Monday.",
      "About 900 dockworkers at Merrow downed tools at midnight.",
      "The strike by dockworkers at the port of Merrow began at six on Monday.",
      "Merrow's dockworkers are on strike for the first time since 1998.",
    ],
    "": [
      "Dockworkers at the port of Merrow voted to strike.",
      "A strike by dockworkers at the port of Merrow was averted on Monday.",
      "A strike at the port of Merrow would begin on Monday.",
      "Truckers at the port of Merrow went on strike on Monday.",
      "Dockworkers at the port of Durne went on strike on Monday.",
    ],
  },
  "Will the Central Bank of Ostmark cut interest rates at its October 2026 meeting?": {
    NO: [
      "The Central Bank of Ostmark decided to keep interest rates unchanged.",
      "The Central Bank of Ostmark kept interest rates unchanged.",
      "The Executive Board of the Central Bank of Ostmark decided to keep the policy rate unchanged.",
    ],
    "": [
      "The Central Bank of Ostmark cut its growth forecast.",
      "The Executive Board of Ostmark Steel cut its dividend.",
      "The Central Bank of Ostmark decided to keep the reserve requirement unchanged.",
      "The Ostmark parliament's policy committee voted to cut interest rates.",
    ],
  },
});
