import { RefusedError } from '../refused.js'

const LINE_MAX = 16 * 2 ** 20

const check = (length: number): void => {
  if (length > LINE_MAX) throw new RefusedError('The file has a line of more than 16,777,216 characters')
}

/**
 * Splits texts at line ends `\n`.
 * @throws RefusedError for a line above 16,777,216 characters
 */
export async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let parts: string[] = []
  let length = 0
  for await (const text of texts) {
    const lines = text.split('\n')
    const rest = lines.pop() ?? ''
    for (const line of lines) {
      check(length + line.length)
      yield parts.join('') + line
      parts = []
      length = 0
    }
    parts.push(rest)
    length += rest.length
    check(length)
  }
  if (length > 0) yield parts.join('')
}
