import type { seededRandom } from '@iodine/test-kit'

type Random = ReturnType<typeof seededRandom>

const RUN = 'executed()'
const SCHEMES = [
  `javascript:${RUN}`,
  ` java\nscript:${RUN}`,
  `JaVaScRiPt:${RUN}`,
  `\u0001javascript:${RUN}`,
  `&#106;avascript&colon;${RUN}`,
  `javascript://%0a${RUN}`,
  `data:text/html,<script>top.${RUN}</script>`,
  `data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='${RUN}'/>`,
]
const ADDRESSED = (
  'a:href area:href img:src img:srcset source:src track:src video:src video:poster audio:src iframe:src iframe:srcdoc ' +
  'frame:src embed:src object:data object:codebase form:action button:formaction input:formaction link:href base:href ' +
  'body:background table:background td:background blockquote:cite q:cite ins:cite img:longdesc img:dynsrc img:lowsrc ' +
  'script:src html:manifest a:ping div:style meta:content portal:src'
).split(' ')
const SVG_ADDRESSED =
  'a:href a:xlink:href image:href image:xlink:href use:href use:xlink:href set:to animate:to animate:values feImage:href script:href'.split(
    ' ',
  )

const split = (pair: string) => {
  const at = pair.indexOf(':')
  return [pair.slice(0, at), pair.slice(at + 1)] as const
}
const quoted = (value: string) => `"${value.replaceAll('"', '&quot;')}"`

/** Returns page contents that try to run a script, each with visible or hidden words (t and a number). */
export const hostileFragments = (): string[] => [
  ...ADDRESSED.map((pair, n) => {
    const [tag, name] = split(pair)
    const tries = SCHEMES.map(scheme => `<${tag} ${name}=${quoted(scheme)} onclick=${RUN}>t${n}</${tag}>`)
    return `<p>t1000</p>${tries.join(' ')}`
  }),
  ...SVG_ADDRESSED.map((pair, n) => {
    const [tag, name] = split(pair)
    const tries = SCHEMES.map(
      scheme =>
        `<a><${tag} attributeName="href" ${name}=${quoted(scheme)} onbegin="${RUN}" dur="1s"><text y="20">t${n}</text> </${tag}></a>`,
    )
    return `<svg width="200" height="100" onload="${RUN}">${tries.join('')}</svg><p>t1001</p>`
  }),
  `<script>${RUN}</script> t1 <SCRIPT type=module>${RUN}</SCRIPT><svg><script>${RUN}</script></svg>`,
  `<img src=x onerror=${RUN}> t1 <img src=x ONERROR='${RUN}'><video src=x onerror=${RUN}></video>`,
  `<style>@keyframes k{}</style><p style="animation:k 1ms" onanimationend="${RUN}"> t1 </p>`,
  `<details open ontoggle="${RUN}"><summary> t1 </summary> t2 </details><details><summary> t3 </summary> t4 </details>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>"> t1 </noscript> t2 `,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${RUN}&gt;"> t1 `,
  `<svg></p><style><a id="</style><img src=1 onerror=${RUN}>"></svg> t1 `,
  `<form><math><mtext></form><form><mglyph><style></math><img src onerror=${RUN}></style></mglyph></form></mtext></math> t1 `,
  `<xmp><img src=x onerror=${RUN}> t1 </xmp><p> t2 </p>`,
  `<p id="a&quot; onload=&quot;${RUN}"> t1 </p><p title="&lt;/p&gt;&lt;script&gt;${RUN}&lt;/script&gt;"> t2 </p>`,
  `&lt;script&gt;${RUN}&lt;/script&gt;<p> t1 </p>&lt;img src=x onerror=${RUN}&gt;`,
  `<!--><img src=x onerror=${RUN}>--><![CDATA[<img src=x onerror=${RUN}> t1 ]]><p> t2 </p>`,
  `<template><img src=x onerror=${RUN}> t1 </template><div><template shadowrootmode=open><p> t2 </p><img src=x onerror=${RUN}><slot></slot></template> t3 </div>`,
  `<div><template shadowrootmode=closed><p>x</p></template><p>unslotted</p></div><p> t1 </p>`,
  `<svg width="200" height="90"><foreignObject width="200" height="40"><p> t1 </p><img src=x onerror=${RUN}></foreignObject><text y="60"> t2 </text><g> t3 </g><title> t4 </title></svg>`,
  `<math><maction actiontype="statusline" xlink:href="javascript:${RUN}"><mtext> t1 </mtext></maction><annotation-xml encoding="text/html"><p> t2 </p></annotation-xml></math>`,
  `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe> t1 <object data="data:text/html,<script>parent.${RUN}</script>"> t2 </object>`,
  `<meta http-equiv=refresh content="9;url=javascript:${RUN}"><link rel=stylesheet href="${'//e.example/x.css'}"> t1 `,
  `<input autofocus onfocus=${RUN} value= t1 ><textarea onfocus=${RUN}> t2 </textarea><button onclick=${RUN}> t3 </button><p> t4 </p>`,
  `<p contenteditable onfocus=${RUN} tabindex=0> t1 </p><div popover> t2 </div><dialog> t3 </dialog><dialog open> t4 </dialog>`,
  `<marquee onstart=${RUN}> t1 </marquee><p hidden> t2 </p><p hidden style="display:block"> t3 </p><p hidden=until-found> t4 </p>`,
  `<p style="font-size:0"> t1 </p><p style="opacity:0"> t2 <b style="opacity:1"> t3 </b></p><p style="visibility:hidden"> t4 <b style="visibility:visible"> t5 </b></p>`,
  `<ruby> t1 <rp>(</rp><rt> t2 </rt><rp> t3 </rp></ruby><canvas> t4 </canvas><video> t5 </video><select><option> t6 </select>`,
  `<a-b onclick=${RUN} is="x"><slot name=q> t1 </slot></a-b><p \u{1f600}=1 a<b=2 "='3' x:onload=${RUN}> t2 </p>`,
]

const TAGS =
  'div p span b section article ul li pre details summary a form fieldset legend label button canvas video object ruby rt table td tr x-host q h2'.split(
    ' ',
  )
const STYLES = [
  'display:none',
  'display:block',
  'display:inline',
  'display:inline-block',
  'display:flex',
  'display:grid',
  'display:contents',
  'display:table',
  'display:table-cell',
  'visibility:hidden',
  'visibility:visible',
  'visibility:collapse',
  'opacity:0',
  'opacity:0.4',
  'content-visibility:hidden',
  'content-visibility:auto',
  'white-space:pre',
  'white-space:normal',
  'font-size:0',
  'font-size:12px',
  'position:absolute',
  'float:left',
]
const ATTRIBUTES = [
  'hidden',
  'hidden=until-found',
  'open',
  `onclick="${RUN}"`,
  `onmouseover="${RUN}"`,
  'popover',
  'inert',
]

/** Returns page content of random elements and styles, with visible or hidden words (t and a number). */
export const randomPage = (random: Random): string => {
  let words = 0
  const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const word = () => ` t${++words} `
  const element = (depth: number): string => {
    if (random() < 0.35 || depth > 5) return ` ${word()} `
    const children = () =>
      Array.from({ length: 1 + Math.floor(random() * 3) }, () => element(depth + 1)).join('')
    const odd = random()
    if (odd < 0.04) return `<svg width="300" height="40"><text y="20">${word()}</text><g>${word()}</g></svg>`
    if (odd < 0.07) return `<math><mi>${word()}</mi><annotation>${word()}</annotation></math>`
    if (odd < 0.1)
      return `<script>${RUN}</script><style>${word()}{}</style><template>${children()}</template>`
    if (odd < 0.15)
      return `<x-host><template shadowrootmode=open>${children()}<slot>${word()}</slot></template>${random() < 0.5 ? children() : ''}</x-host>`
    if (odd < 0.17) return `<img src=x onerror="${RUN}" alt="${word()}">`
    const tag = any(TAGS)
    const style = Array.from({ length: Math.floor(random() * 3) }, () => any(STYLES)).join(';')
    const attribute = random() < 0.2 ? any(ATTRIBUTES) : ''
    const address = tag === 'a' ? `href=${quoted(any(SCHEMES))}` : ''
    return `<${tag} ${address} ${attribute} ${style && `style="${style}"`}>${children()}</${tag}>`
  }
  return Array.from({ length: 6 }, () => element(0)).join('')
}
