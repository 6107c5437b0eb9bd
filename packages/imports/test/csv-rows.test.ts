import { propertyRuns } from '@iodine/test-kit/runs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RefusedError } from '../src/refused.js'
import { Cells, Header, listOf } from '../src/tables/cells.js'
import { doublePhpQuotes } from '../src/tables/php-quotes.js'
import { csvRows, separatorOf } from '../src/tables/rows.js'
import { decodeText, unixLines } from '../src/text/decode.js'

/** Cuts bytes into chunks of the given sizes, over and over. */
async function* chunked(bytes: Uint8Array, sizes: readonly number[]) {
  let at = 0
  for (let n = 0; at < bytes.length; n += 1) {
    const size = sizes[n % sizes.length] ?? 1
    yield bytes.subarray(at, at + size)
    at += size
  }
}
const textsOf = async function* (...texts: string[]) {
  yield* texts
}
const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}
const cellsOf = async (texts: AsyncIterable<string>) => (await all(csvRows(texts))).map(({ cells }) => cells)

const ENCODERS: Record<string, (text: string) => Uint8Array> = {
  'utf-8': text => new TextEncoder().encode(text),
  'utf-8 with a mark': text => new TextEncoder().encode(`\ufeff${text}`),
  'utf-16le': text => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le')),
}

const cell = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }).map(text => text.replaceAll('\0', '').replace(/^\ufeff/, '')),
  fc.constantFrom(
    '',
    'é',
    '"',
    '""',
    'a"b',
    "['a', 'b']",
    '\n',
    '\r\n',
    '\u2028',
    ' x ',
    '=1+1',
    '__proto__',
    '😀',
    '\\"',
  ),
)
/** A table whose rows are not blank, as blank ones are left out. */
const table = fc
  .integer({ min: 2, max: 6 })
  .chain(width =>
    fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }),
  )
  .map(rows =>
    rows.map((row, at) => ['x', ...row].map(each => (at === 0 ? each.replace(/[,;\t|"\r\n]/g, '') : each))),
  )
const quoted = (text: string, separator: string, isQuoted: boolean) =>
  isQuoted || /["\r\n]/.test(text) || text.includes(separator) || text.trim() !== text
    ? `"${text.replaceAll('"', '""')}"`
    : text

describe('any table', () => {
  it('gives the same rows with any separator, quoting, line end, encoding and chunks', async () => {
    const property = fc.asyncProperty(
      table,
      fc.constantFrom(',', ';', '\t', '|'),
      fc.boolean(),
      fc.constantFrom('\n', '\r\n'),
      fc.constantFrom(...Object.keys(ENCODERS)),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async (rows, separator, isQuoted, end, encoding, sizes, isStated) => {
        const lines = rows.map(row => row.map(text => quoted(text, separator, isQuoted)).join(separator))
        const text = [...(isStated ? [`sep=${separator}`] : []), ...lines].join(end)
        const bytes = ENCODERS[encoding]?.(text) ?? new Uint8Array()
        const got = await cellsOf(unixLines(decodeText(chunked(bytes, sizes))))
        expect(got).toEqual(
          rows.map(row =>
            row.map(each => new TextDecoder().decode(new TextEncoder().encode(each.replace(/\r\n?/g, '\n')))),
          ),
        )
      },
    )
    await fc.assert(property, propertyRuns(2_000))
  })

  it('gives a prefix of its rows at any cut', async () => {
    const property = fc.asyncProperty(table, fc.nat(), async (rows, nat) => {
      const text = rows.map(row => row.map(each => quoted(each, ',', false)).join(',')).join('\n')
      const whole = await all(csvRows(textsOf(text)))
      const cut = await all(csvRows(textsOf(text.slice(0, nat % (text.length + 1)))))
      // The last row may be cut.
      expect(whole.map(({ cells }) => cells).slice(0, Math.max(0, cut.length - 1))).toEqual(
        cut.slice(0, -1).map(({ cells }) => cells),
      )
    })
    await fc.assert(property, propertyRuns(2_000))
  })
})

describe('csvRows', () => {
  it('counts lines through quoted line breaks, blank rows and a stated separator', async () => {
    const rows = await all(csvRows(textsOf('sep=;\na;b\n"1\n2";3\n\n;\n4;5\n')))
    expect(rows.map(({ line, cells }) => [line, cells])).toEqual([
      [2, ['a', 'b']],
      [3, ['1\n2', '3']],
      [7, ['4', '5']],
    ])
  })

  it('refuses a cell of 100 MB, without holding more than its limit', async () => {
    const megabyte = 'x'.repeat(1_000_000)
    let sent = 0
    async function* huge() {
      yield 'a,b\n"'
      for (; sent < 100; sent += 1) yield megabyte
    }
    await expect(all(csvRows(huge()))).rejects.toThrow(RefusedError)
    expect(sent).toBeLessThan(10)
  })

  it('refuses 1,000,000 columns', async () => {
    await expect(all(csvRows(textsOf(`${'a,'.repeat(1_000_000)}b\n`)))).rejects.toThrow(
      'more than 10,000 cells',
    )
  })

  it('marks a row that ends within a quoted cell', async () => {
    const rows = await all(csvRows(textsOf('a,b\n1,"cut')))
    expect(rows.map(({ isCut }) => isCut)).toEqual([false, true])
  })

  it.each([
    ['a;b,c;d', ';'],
    ['a\tb', '\t'],
    ['"a;b;c",d', ','],
    ['a|b', '|'],
    ['a', ','],
    ['sep=|\na,b', '|'],
  ])('finds the separator of %j', (head, separator) => {
    expect(separatorOf(head)).toBe(separator)
  })
})

describe('cells', () => {
  const header = new Header(['', 'a', '__proto__', 'constructor', 'a'])
  const row = (...cells: string[]) => new Cells(header, { line: 2, cells, isCut: false, isEnded: true })

  it('reads columns by name, also names of prototypes', () => {
    const cells = row('0', ' x ', 'y', 'z', 'second')
    expect([cells.get('a'), cells.get('__proto__'), cells.get('constructor')]).toEqual(['x', 'y', 'z'])
    expect(cells.get('toString')).toBeUndefined()
    expect(({} as Record<string, unknown>).y).toBeUndefined()
  })

  it('reads words for missing values as none', () => {
    for (const word of ['None', 'nan', 'null', 'undefined', 'N/A', 'Unknown', ' ']) {
      expect(row('0', word).get('a')).toBeUndefined()
    }
    expect(row('0', 'Unknown').text('a')).toBe('Unknown')
  })

  it('counts cells that no column has', () => {
    expect(row('0', '1', '2', '3', '4', '', '').surplus).toBe(0)
    expect(row('0', '1', '2', '3', '4', '5').surplus).toBe(1)
    expect(row('0').isFull).toBe(false)
  })

  it('leaves formulas as they are', () => {
    expect(row('0', '=cmd|calc').text('a')).toBe('=cmd|calc')
    expect(row('0', "'=1+1").text('a')).toBe("'=1+1")
  })

  it.each<[string, string[]]>([
    ["['a', 'b, c']", ['a', 'b, c']],
    ['["a", "b"]', ['a', 'b']],
    [`['it\\'s', "b"]`, ["it's", 'b']],
    ['a, b', ['a', 'b']],
    ['[]', []],
    ['None', []],
    ['[a, b]', ['a', 'b']],
    ['https://a.example/1,2,https://b.example', ['https://a.example/1,2', 'https://b.example']],
  ])('reads the list %s', (written, values) => {
    expect(listOf(written)).toEqual(values)
  })
})

it('reads quotation marks that PHP leaves single after a backslash', async () => {
  const text = 'id,text,n\n1,"say \\"hi\\", now",2\n2,"ends \\"here\\"",3\n3,"C:\\",4\n4,"a ""b""",5\n'
  for (const size of [1, 7, 1_000]) {
    const parts = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
    expect(await cellsOf(doublePhpQuotes(textsOf(...parts)))).toEqual([
      ['id', 'text', 'n'],
      ['1', 'say \\"hi\\", now', '2'],
      ['2', 'ends \\"here\\"', '3'],
      ['3', 'C:\\', '4'],
      ['4', 'a "b"', '5'],
    ])
  }
})
