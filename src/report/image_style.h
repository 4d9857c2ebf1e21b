// What pages about images have beside the style of all pages.
#pragma once

namespace deepsl::report::detail {

inline constexpr const char* image_style_sheet = R"css(
img, svg image { image-rendering: pixelated; }
img { display: block; background: #fff; }
.strip { overflow-x: auto; }
.strip svg { min-width: 760px; }
.who { display: flex; flex-wrap: wrap; gap: 16px 26px; align-items: center; margin-bottom: 22px; }
.who > img { width: 116px; height: auto; border: 3px solid var(--ink); }
.who > div { flex: 1 1 240px; min-width: 0; }
.who h3 { margin-bottom: 8px; }
.who .chip { display: inline-block; margin: 0 6px 6px 0; }
.chances { flex: 1 1 260px; max-width: 430px; margin: 0; font-size: 14px; }
.chances th, .chances td { border: 0; padding: 2px 0; }
.chances th { width: 32%; padding-right: 12px; text-align: right; color: var(--ink); }
.chances td + td { width: 66px; text-align: right; color: var(--soft); }
.chances i { display: block; height: 12px; margin-top: 6px; border-radius: 3px; min-width: 2px; }
.gallery {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(84px, 1fr)); gap: 16px 14px;
}
.gallery img { width: 100%; height: auto; border: 1px solid var(--rule); }
.gallery figcaption { margin-top: 4px; font-size: 12.5px; line-height: 1.35; overflow-wrap: anywhere; }
.gallery b { color: #9a3f00; }
.mistakes { display: grid; grid-template-columns: minmax(0, 1.9fr) minmax(0, 1fr); gap: 28px 40px; }
.scroll { overflow-x: auto; }
.confusion { width: auto; margin: 0; font-size: 13.5px; }
.confusion th, .confusion td {
  border: 1px solid #fff; padding: 7px 8px; width: auto; min-width: 50px; text-align: right;
  overflow-wrap: normal; white-space: nowrap;
}
.confusion th { color: var(--ink); font-weight: 600; border: 0; }
.confusion td.none { color: #b6bec6; }
.mistakes ol { margin: 0; padding-left: 22px; font-size: 15px; }
.mistakes li { padding: 2px 0; overflow-wrap: anywhere; }
.sample details { margin-top: 18px; }
.sample .shares { margin: 0 24px 16px; width: calc(100% - 48px); max-width: 620px; }
h5 { margin: 26px 0 12px; font-size: 15px; }
@media screen and (max-width: 900px) {
  .mistakes { grid-template-columns: minmax(0, 1fr); }
}
@media print {
  .strip, .scroll { overflow: visible; }
  .strip svg { min-width: 0; }
  .sample { break-inside: avoid; }
}
)css";

}  // namespace deepsl::report::detail
