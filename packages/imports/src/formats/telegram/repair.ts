/**
 * Faults of exports of Telegram Desktop: `\x1b` for a control character, which JSON writes as `\u001b`
 * (telegramdesktop/tdesktop#27571), and a path without quotation marks as `document_id` in version 4.1 (#24961, #24984).
 */
const FAULTS = /\\(?:x([0-9a-f]{2})|[\s\S])|("document_id"\s*:\s*)([^\s"\d\-nN{[][^\n]*?)(,?[ \t]*)(?=\n)/gi

const repaired = (text: string): string =>
  text.replace(FAULTS, (found, code?: string, name?: string, path?: string, end?: string) => {
    if (code !== undefined) return `\\u00${code}`
    return name === undefined ? found : `${name}${JSON.stringify(path)}${end ?? ''}`
  })

/** Returns a position in a text at which neither fault is cut; 0 if there is none. */
const safeCut = (text: string): number => {
  const line = text.lastIndexOf('\n')
  if (line >= 0) return line
  for (let at = text.length; at > 4; at -= 1) if (!text.slice(at - 4, at).includes('\\')) return at
  return 0
}

/** Repairs the known faults of Telegram Desktop's JSON. */
export async function* repairedTexts(texts: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let rest = ''
  for await (const text of texts) {
    const whole: string = rest + text
    const cut = safeCut(whole)
    rest = whole.slice(cut)
    if (cut > 0) yield repaired(whole.slice(0, cut + 1)).slice(0, rest === '' ? undefined : -1)
  }
  if (rest) yield repaired(rest)
}
