/** Style sheet of the pages. */
export const STYLE = `:root{color-scheme:light dark;--ink:#1c2127;--ground:#fff;--muted:#5f6b7c;--line:#c5cbd3;--accent:#215db0}
@media(prefers-color-scheme:dark){:root{--ink:#f6f7f9;--ground:#1c2127;--muted:#abb3bf;--line:#5f6b7c;--accent:#8abbff}}
*{box-sizing:border-box}
body{margin:0;color:var(--ink);background:var(--ground);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:54rem;margin:0 auto;padding:1rem}
a{color:var(--accent)}
.skip{position:absolute;left:-100vw}
.skip:focus{position:static}
.tlp{text-align:center;font-size:.8rem}
.meta{color:var(--muted)}
.meta div{display:flex;gap:1rem}
.meta dt{min-width:9rem}
.meta dd{margin:0}
.notice{border-left:4px solid var(--accent);padding:.25rem 1rem}
.table,.matrix{overflow-x:auto}
table{border-collapse:collapse;width:100%}
caption{text-align:start;color:var(--muted)}
th,td{border-top:1px solid var(--line);padding:.25rem .5rem;text-align:start;vertical-align:top}
.finding{margin-bottom:1rem}
.confidence{font-weight:600;margin:0}
@media print{.skip{display:none}.annex{break-before:page}tr,.finding,svg{break-inside:avoid}}
`
