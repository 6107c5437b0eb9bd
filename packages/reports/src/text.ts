/** Characters that XML forbids, controls, and marks that reorder text or have no width. */
const UNSAFE =
  /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|[\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu

/** Returns text with a visible mark for each character that a reader does not see. */
export const visible = (text: string): string => text.toWellFormed().replace(UNSAFE, '\ufffd')

/** Returns text as content of an element or attribute of HTML or XML. */
export const escapeXml = (text: string): string =>
  visible(text).replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)

/** Returns text on one line. */
export const oneLine = (text: string): string => visible(text).replace(/\s+/g, ' ').trim()

/** Returns JSON as content of a script element. */
export const scriptJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const dots = (text: string) => text.replaceAll('.', '[.]')
const SCHEME = /\b(h)tt(ps?):\/\//gi
// A bounded label count keeps the search linear.
const ADDRESS =
  /\bhttps?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)]|(?<![\w.-])(?:[\p{L}\p{N}_-]{1,63}\.){1,8}\p{L}{2,63}(?![\p{L}\p{N}])/giu

/** Returns an address that no program opens: `hxxps://example[.]org`. */
export const defang = (value: string): string =>
  dots(value.replace(SCHEME, '$1xx$2://')).replaceAll('@', '[@]')

/** Returns a text whose URLs and domains are defanged. */
export const defangText = (text: string): string => text.replace(ADDRESS, defang)

const ADDRESSES = new Set(['URL', 'DOMAIN', 'IP_ADDRESS'])
/** Returns the value of an indicator for a page. */
export const shownValue = ({ category, value }: { category: string; value: string }): string =>
  ADDRESSES.has(category) ? defang(value) : defangText(value)

/** Returns a typed text as paragraphs and lists: lines that begin with `- ` are items. */
export const paragraphs = (text: string): string =>
  defangText(text)
    .split(/\n\s*\n/)
    .map(block => block.split('\n').filter(line => line.trim() !== ''))
    .filter(lines => lines.length > 0)
    .map(lines =>
      lines.every(line => line.startsWith('- '))
        ? `<ul>${lines.map(line => `<li>${escapeXml(line.slice(2))}</li>`).join('')}</ul>`
        : `<p>${lines.map(escapeXml).join('<br>')}</p>`,
    )
    .join('\n')

/** Returns the day of a time. */
export const dayElement = (at: string): string =>
  `<time datetime="${escapeXml(at)}">${escapeXml(at.slice(0, 10))}</time>`

/** Returns links to exhibits. */
export const exhibitLinks = (numbers: readonly number[]): string =>
  numbers.map(n => `<a class="exhibit-link" href="#E${n}">E${n}</a>`).join(' ')
