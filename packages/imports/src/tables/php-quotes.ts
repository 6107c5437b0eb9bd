/** Characters after a quotation mark that decide whether it ends its cell. */
const AHEAD = 64

/** A separator, then the next cell: a quoted one, an empty one, or one without spaces. */
const NEXT_CELL = /^[,;\t](?:["\n,;\t]|[^\s"]|$)/

/**
 * Doubles quotation marks that PHP's `fputcsv` leaves single after a backslash, within quoted cells. One before a
 * separator and the next cell ends its own cell.
 * @param texts CSV with line ends `\n`
 */
export async function* doublePhpQuotes(
  texts: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  let buffer = ''
  let isQuoted = false
  let isCellStart = true

  const read = (isLast: boolean): string => {
    const end = isLast ? buffer.length : buffer.length - AHEAD
    let out = ''
    let at = 0
    while (at < end) {
      const unit = buffer.charAt(at)
      const pair = buffer.slice(at, at + 2)
      if (!isQuoted) {
        isQuoted = isCellStart && unit === '"'
        isCellStart = /[,;\t|\n]/.test(unit)
        out += unit
        at += 1
      } else if (pair === '\\"') {
        const isClosing = at + 2 >= buffer.length || NEXT_CELL.test(buffer.slice(at + 2, at + AHEAD))
        isQuoted = !isClosing
        out += isClosing ? pair : '\\""'
        at += 2
      } else if (pair === '""') {
        out += pair
        at += 2
      } else {
        if (unit === '"') isQuoted = false
        out += unit
        at += 1
      }
    }
    buffer = buffer.slice(at)
    return out
  }

  for await (const text of texts) {
    buffer += text
    if (buffer.length > AHEAD) yield read(false)
  }
  yield read(true)
}
