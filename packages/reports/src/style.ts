/**
 * Style sheet of the pages, with the colours of the app’s look. In print, each page bears the label in its head and foot
 * and its number, by page margin boxes (Chromium 131, Safari 18.2); other browsers print their own foot.
 */
export const STYLE = `:root{color-scheme:light dark;--ink:#1c2127;--ground:#fff;--soft:#f6f7f9;--muted:#5f6b7c;--line:#c5cbd3;--accent:#215db0}
@media(prefers-color-scheme:dark){:root{--ink:#f6f7f9;--ground:#1c2127;--soft:#252a31;--muted:#abb3bf;--line:#5f6b7c;--accent:#8abbff}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;color:var(--ink);background:var(--ground);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
main{max-width:56rem;margin:0 auto;padding:0 1rem 2rem}
.error main{padding-top:2rem}
a{color:var(--accent);text-underline-offset:.15em}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
:target{background:var(--soft)}
.skip{position:absolute;inset-inline-start:.5rem;top:.5rem;padding:.5rem 1rem;background:var(--ground);transform:translateY(-200%)}
.skip:focus{transform:none}
.tlp{max-width:56rem;margin:0 auto;padding:.5rem 1rem;font-size:.8125rem;text-align:end}
.tlp p{margin:0}
h1,h2,h3{line-height:1.25;text-wrap:balance}
h1{margin:.25rem 0 1rem;font-size:clamp(1.5rem,1.1rem + 2vw,2.25rem)}
h2{margin:2.25rem 0 .75rem;padding-top:.75rem;border-top:1px solid var(--line);font-size:1.25rem}
h3{margin:1rem 0 .25rem;font-size:1rem}
p{margin:.5rem 0}
ul,ol{padding-inline-start:1.5rem}
li{margin:.25rem 0}
.label{display:inline-block;margin:.5rem 0;padding:.125rem .5rem;border-radius:2px;color:#fff;background:#000;font:600 .8125rem/1.4 ui-monospace,monospace}
.meta{color:var(--muted)}
dl.meta{margin:0;display:grid;gap:.25rem}
dl.meta div{display:grid;grid-template-columns:minmax(0,9rem) minmax(0,1fr);gap:0 1rem}
dl.meta dd{margin:0;color:var(--ink)}
.notice{margin:.75rem 0;padding:.5rem 1rem;background:var(--soft);border-inline-start:4px solid var(--accent)}
.notice h3{margin-top:0}
.lede{font-size:1.125rem}
.finding{margin-bottom:1rem;padding-inline-start:.25rem}
.confidence{margin:0;color:var(--muted);font-size:.875rem;font-weight:600}
.table,.matrix{max-width:100%;overflow-x:auto}
table{width:100%;border-collapse:collapse;overflow-wrap:break-word;font-size:.875rem;line-height:1.4}
caption{padding:.25rem 0;color:var(--muted);text-align:start}
th,td{min-width:4.5rem;padding:.375rem .75rem .375rem 0;border-bottom:1px solid var(--line);text-align:start;vertical-align:top}
thead th{border-bottom-width:2px}
tbody th{font-weight:500}
code{font:.8125rem/1.4 ui-monospace,SFMono-Regular,Menlo,monospace}
.matrix{margin:.75rem 0;padding:.5rem;background:#fff;border:1px solid var(--line)}
.matrix svg{display:block;max-width:none}
td,tbody th{overflow-wrap:anywhere}
th,time{white-space:nowrap}
tbody th{white-space:normal}
@media screen{.table table:has(code){min-width:52rem}}
.citation{padding-inline-start:1.5rem;text-indent:-1.5rem}
.files{columns:14rem}
.reports{padding:0;list-style:none}
.reports h2{margin-bottom:0}
@media(max-width:36rem){dl.meta div{grid-template-columns:1fr}dl.meta dt{font-size:.875rem}dl.meta dd{margin-bottom:.375rem}}
@page{margin:20mm 16mm;@top-right{content:"TLP:CLEAR";font:600 9pt/1 ui-monospace,monospace}@bottom-right{content:"TLP:CLEAR";font:600 9pt/1 ui-monospace,monospace}@bottom-left{content:counter(page) " / " counter(pages);font:9pt/1 system-ui,sans-serif}}
@media print{
:root{color-scheme:light;--ink:#000;--ground:#fff;--soft:#fff;--muted:#404854;--line:#8f99a8;--accent:#000}
body{font-size:10.5pt}
main,.tlp{max-width:none;padding:0}
th{white-space:normal}
.label{border:1px solid;color:#000;background:none}
header.tlp,.skip,.notice.newer{display:none}
h2,h3,caption,.confidence{break-after:avoid}
p{orphans:3;widows:3}
.notice{border:1px solid var(--line);border-inline-start-width:4px}
.finding,.notice,tr,svg,dl.meta div{break-inside:avoid}
thead{display:table-header-group}
.table,.matrix{overflow:visible}
.matrix{padding:0;border:0}
.matrix svg{max-width:100%;max-height:230mm;height:auto}
table{font-size:8.5pt}
th,td{min-width:0;padding-inline-end:6pt}
code{font-size:7.5pt}
section:has(>.annex){break-before:page}
#references a::after{content:" <" attr(href) ">"}
}
`
