//! How reports look. The colours are those of the charts.

pub(super) const PAGE: &str = "\
:root{--good:#15803d;--bad:#b91c1c;--waiting:#a16207;--running:#1d4ed8;--plain:#667085}
@media(prefers-color-scheme:dark){:root{--good:#4ade80;--bad:#f87171;--waiting:#facc15;--running:#7aa7ff;--plain:#9aa4b2}}
body{margin:0;background:var(--paper);color:var(--ink);line-height:1.6;font-family:system-ui,\"Noto Sans KR\",\"Noto Sans CJK KR\",\"Apple SD Gothic Neo\",\"Malgun Gothic\",sans-serif;word-break:keep-all;overflow-wrap:anywhere}
main{max-width:960px;margin:0 auto;padding:32px 24px 64px}
h1{font-size:1.6rem;line-height:1.3;margin:0 0 .4rem;text-wrap:balance}
h2{font-size:1.15rem;margin:2.4rem 0 .8rem;padding-bottom:.3rem;border-bottom:1px solid var(--rule)}
.prose h1,.prose h2,.prose h3{font-size:1.05rem;border:0;margin:1.2rem 0 .4rem}
.about{color:var(--soft)}
nav{display:flex;flex-wrap:wrap;gap:.3rem 1rem;margin-top:1rem;font-size:.9rem}
a{color:var(--running)}
small{color:var(--soft)}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:12px;margin:0}
.facts div{border:1px solid var(--rule);border-radius:8px;padding:10px 12px}
.facts dt{color:var(--soft);font-size:.8rem}.facts dd{margin:0;font-weight:600;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:6px 12px 6px 0;border-bottom:1px solid var(--rule);font-variant-numeric:tabular-nums}
th{color:var(--soft);font-weight:600;white-space:nowrap}
td{overflow-wrap:break-word}td a,td pre,td details{overflow-wrap:anywhere}td a.file{overflow-wrap:break-word}td:first-child{min-width:4.5rem}
pre{background:color-mix(in srgb,var(--rule) 45%,transparent);border-radius:8px;padding:12px;overflow-x:auto;font-size:.85rem;line-height:1.5;white-space:pre-wrap}
.badge{display:inline-block;border:1px solid currentColor;border-radius:999px;padding:0 .55em;font-size:.75rem;line-height:1.6;white-space:nowrap}
.badge.good{color:var(--good)}.badge.bad{color:var(--bad)}.badge.waiting{color:var(--waiting)}.badge.running{color:var(--running)}.badge.plain{color:var(--plain)}
.tree{list-style:none;margin:0;padding:0}.tree .tree{margin-left:.7rem;padding-left:1rem;border-left:1px solid var(--rule)}
.tree li{margin:.35rem 0}
.timeline{display:block;min-width:640px;width:100%;height:auto}
.timeline text{font-size:12px;fill:var(--ink)}.timeline line+text{fill:var(--soft)}.timeline .last{text-anchor:end}
.timeline .grid{stroke:var(--rule)}
.timeline .good{fill:var(--good)}.timeline .bad{fill:var(--bad)}.timeline .waiting{fill:var(--waiting)}.timeline .running{fill:var(--running)}.timeline .plain{fill:var(--plain)}
details{margin:.4rem 0}summary{cursor:pointer}
.chart{margin:1rem 0;max-width:none}
@media(max-width:640px){.wide table,.chart svg{min-width:560px}.chart{overflow-x:auto}}
@media print{nav{display:none}details:not([open])>*{display:block}h2{break-after:avoid}.facts div,tr,figure{break-inside:avoid}}
";
