// How the page of a report looks: on a screen, on a phone, on paper.
#pragma once

namespace deepsl::report::detail {

inline constexpr const char* style_sheet = R"css(
:root { --ink: #25313c; --soft: #54606c; --faint: #6b7783; --rule: #e1e5e9; --violet: #5d4a98; }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: #fbfaf7; color: var(--ink); font-size: 16px; line-height: 1.6;
  font-family: Inter, "Segoe UI", "Helvetica Neue", Arial, "Liberation Sans", sans-serif;
}
main { max-width: 1168px; margin: 0 auto; padding: 56px 24px 72px; }
header { margin-bottom: 34px; }
.brand {
  margin: 0 0 12px; font-size: 13px; letter-spacing: .09em; text-transform: uppercase;
  color: var(--violet); font-weight: 600;
}
h1, h2 {
  font-family: "Iowan Old Style", "Palatino Linotype", Palatino, "Source Serif 4", Georgia,
    "Liberation Serif", serif;
  font-weight: 600; line-height: 1.18; letter-spacing: -.008em; overflow-wrap: anywhere;
}
h1 { font-size: 42px; margin: 0 0 10px; }
h2 { font-size: 28px; margin: 0 0 8px; }
h3 { font-size: 18px; line-height: 1.35; margin: 0; overflow-wrap: anywhere; }
h4 { font-size: 14.5px; margin: 0 0 8px; font-weight: 650; }
h4 b {
  display: inline-block; min-width: 21px; height: 21px; margin-right: 8px; border-radius: 11px;
  background: #ece9f5; color: var(--violet); font-size: 12px; line-height: 21px; text-align: center;
}
p { margin: 0 0 14px; }
.subtitle { font-size: 19px; color: var(--soft); margin: 0; max-width: 60ch; }
.lead { max-width: 74ch; color: var(--soft); margin-bottom: 26px; }
.story { display: flex; flex-wrap: wrap; gap: 20px 56px; align-items: center; margin: 44px 0 0; }
.story > p { flex: 1 1 520px; max-width: 70ch; font-size: 17.5px; line-height: 1.65; margin: 0; }
.symbols {
  flex: 0 1 auto; padding: 4px 0 4px 28px; border-left: 3px solid #cfc7e6; font-size: 18px;
  font-family: "STIX Two Text", Cambria, Palatino, Georgia, "DejaVu Serif", serif;
  font-style: italic;
}
.symbols p { margin: 6px 0; }
.symbols sub { font-size: 70%; line-height: 0; }
section { margin-top: 76px; }
svg { display: block; width: 100%; height: auto; font-family: inherit; }
svg.hidden { position: absolute; width: 0; height: 0; }
.cards {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(158px, 1fr)); gap: 14px;
}
.card {
  background: #fff; border: 1px solid var(--rule); border-radius: 12px; padding: 17px 19px 15px;
}
.card .label { font-size: 13px; color: var(--faint); line-height: 1.35; }
.card .value {
  font-size: 27px; font-weight: 620; line-height: 1.3; font-variant-numeric: tabular-nums;
  letter-spacing: -.012em; overflow-wrap: anywhere;
}
.card .note { font-size: 12.5px; color: var(--faint); line-height: 1.4; }
.card:first-child { border-color: #cfc7e6; background: #f7f5fc; }
.card:first-child .value { color: var(--violet); }
figure { margin: 0; min-width: 0; }
figcaption { font-size: 13.5px; line-height: 1.5; color: var(--soft); margin-top: 8px; }
.panel { background: #fff; border: 1px solid var(--rule); border-radius: 14px; padding: 24px; }
.plane { display: grid; grid-template-columns: minmax(0, 1.95fr) minmax(0, 1fr); gap: 36px; }
.plane aside > * + * { margin-top: 26px; }
.legend { list-style: none; margin: 0; padding: 0; font-size: 14.5px; }
.legend li { display: flex; align-items: center; gap: 10px; padding: 2px 0; overflow-wrap: anywhere; }
.legend li svg { flex: none; width: 20px; height: 20px; }
.legend label { display: flex; align-items: center; gap: 10px; cursor: pointer; }
.legend input { width: 15px; height: 15px; margin: 0 2px 0 3px; accent-color: var(--violet); }
.plane:has(#show-train:not(:checked)) .train,
.plane:has(#show-test:not(:checked)) .test, .plane:has(#show-test:not(:checked)) .errors,
.plane:has(#show-chosen:not(:checked)) .chosen { display: none; }
.three { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 30px 26px; }
.row { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); gap: 18px; }
.row svg { aspect-ratio: 214 / 230; }
.row h4 { font-size: 13.5px; white-space: nowrap; }
.field {
  margin: 26px 0 14px; padding-left: 12px; border-left: 4px solid; font-size: 14px;
  color: var(--soft);
}
.field b { margin-right: 8px; font-size: 15.5px; }
.sum {
  display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 1fr); gap: 26px 36px;
  margin-top: 30px; padding-top: 24px; border-top: 1px solid var(--rule);
}
.shares { font-size: 14px; margin: 6px 0 0; }
.shares th, .shares td { padding: 6px 0 6px 10px; text-align: right; width: auto; }
.shares th:first-child { text-align: left; padding-left: 0; color: var(--ink); }
.shares tr:first-child > * { border-top: 0; font-weight: 650; }
.shares tr:last-child > * { border-top: 2px solid var(--ink); font-weight: 650; }
.fields, .notes {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 320px), 1fr)); gap: 24px;
}
.notes { margin-top: 22px; gap: 0 36px; }
.notes p { color: var(--soft); font-size: 15px; }
.sample { margin-top: 24px; }
.columns { margin-top: 26px; }
.sample > header {
  display: flex; flex-wrap: wrap; gap: 6px 14px; align-items: center; margin: 0 0 20px;
}
.sample > header p { margin: 0; font-size: 14px; color: var(--soft); flex-basis: 100%; }
.letter {
  width: 32px; height: 32px; border-radius: 16px; background: var(--ink); color: #fff;
  font-weight: 700; text-align: center; line-height: 32px; flex: none;
}
.chip {
  font-size: 13px; line-height: 1.4; padding: 2px 11px; border-radius: 12px; background: #eef1f4;
  color: var(--soft); overflow-wrap: anywhere;
}
.chip.wrong { background: #fdebdd; color: #9a3f00; font-weight: 600; }
.key { display: inline-block; margin-right: 14px; white-space: nowrap; }
.key i {
  display: inline-block; width: 22px; margin-right: 6px; vertical-align: middle;
  border-top: 3px solid; border-radius: 2px;
}
.key i.dashed { width: 26px; border-top: 2px dashed; border-radius: 0; }
.wide { display: grid; grid-template-columns: minmax(0, 1.95fr) minmax(0, 1fr); gap: 36px; }
.wide p { color: var(--soft); font-size: 15px; }
details { background: #fff; border: 1px solid var(--rule); border-radius: 14px; }
summary { cursor: pointer; padding: 16px 24px; font-weight: 620; }
table { border-collapse: collapse; width: 100%; font-size: 14px; margin: 0 0 12px; }
td, th {
  text-align: left; padding: 6px 24px; border-top: 1px solid var(--rule); vertical-align: top;
  font-weight: 400; overflow-wrap: anywhere;
}
th { color: var(--soft); width: 38%; }
td { font-variant-numeric: tabular-nums; }
footer { margin-top: 56px; font-size: 13px; color: var(--faint); }
@media screen and (max-width: 900px) {
  main { padding: 32px 16px 48px; }
  h1 { font-size: 32px; }
  h2 { font-size: 25px; }
  section { margin-top: 56px; }
  .story > p { font-size: 16.5px; flex-basis: 280px; }
  .symbols { font-size: 16.5px; padding-left: 18px; }
  .plane, .wide, .sum { grid-template-columns: minmax(0, 1fr); gap: 24px; }
  .row { grid-auto-flow: row; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); }
  .three { grid-template-columns: repeat(auto-fit, minmax(min(100%, 290px), 1fr)); }
  .cards { grid-template-columns: repeat(auto-fit, minmax(138px, 1fr)); gap: 10px; }
  .card { padding: 13px 14px 12px; }
  .card .value { font-size: 23px; }
  .panel { padding: 16px; }
  td, th { padding: 6px 14px; }
}
@media screen and (max-width: 600px) {
  /* The large figures shrink to half their size, their letters should not. */
  .plane > figure text, .wide > figure text, .large text { font-size: 19px; }
  .sum text { font-size: 15px; }
}
@page { margin: 14mm; }
@media print {
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { background: #fff; font-size: 10.5pt; }
  main { padding: 0; max-width: none; }
  section { margin-top: 28px; }
  h2, .lead { break-after: avoid; }
  .card, .panel, figure { break-inside: avoid; }
  .panel { border: 0; padding: 0; }
  .three { gap: 16px 14px; }
  .row { gap: 10px; }
  .row h4 { font-size: 8pt; letter-spacing: -.01em; }
  .row h4 b { margin-right: 4px; }
  .field { margin: 14px 0 8px; }
  .sum { gap: 18px; margin-top: 14px; padding-top: 14px; }
  .shares { font-size: 8.5pt; }
  .shares th, .shares td { padding: 3px 0 3px 6px; }
  .cards { grid-template-columns: repeat(auto-fit, minmax(104px, 1fr)); gap: 8px; }
  .card { padding: 10px 12px; }
  .card .value { font-size: 15pt; }
  .plane, .wide { gap: 18px; }
  .story { flex-wrap: nowrap; gap: 24px; margin-top: 24px; }
  .story > p { font-size: 10.5pt; flex-basis: 300px; }
  .symbols { font-size: 11pt; flex: none; }
  figcaption { font-size: 8.5pt; }
  .legend input { display: none; }
}
)css";

/// On paper nothing can be unfolded.
inline constexpr const char* script =
    "addEventListener('beforeprint', () => document.querySelectorAll('details').forEach("
    "d => { d.open = true; }));";

}  // namespace deepsl::report::detail
