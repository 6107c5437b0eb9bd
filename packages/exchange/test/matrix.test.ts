import { propertyRuns } from '@iodine/test-kit'
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { describe, expect, it } from 'vitest'
import {
  cellsOf,
  isUsed,
  type Matrix,
  type MatrixSvgOptions,
  matrixOf,
  matrixSvg,
  shadesOf,
  sideOf,
  TECHNIQUES,
} from '../src/disarm/index.js'

const TACTICS = 'TA01 TA02 TA13 TA14 TA06 TA15 TA16 TA05 TA07 TA08 TA09 TA17 TA18 TA10 TA11 TA12'
const tacticsOf = ({ columns }: Matrix) => columns.map(({ tactic }) => tactic.id).join(' ')
const idsOf = (matrix: Matrix) => cellsOf(matrix).map(({ technique }) => technique.id)
const usedIn = (matrix: Matrix) =>
  cellsOf(matrix)
    .filter(isUsed)
    .map(({ technique }) => technique.id)

/** Parses a document strictly. Returns its elements and texts. */
const parse = (svg: string) => {
  const elements: { name: string; attributes: Record<string, string> }[] = []
  const texts: string[] = []
  const parser = new SaxesParser()
  parser.on('error', error => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => elements.push({ name, attributes }))
  parser.on('text', text => texts.push(text))
  parser.write(svg).close()
  return { elements, texts }
}

describe('the matrix', () => {
  it('has a column for each tactic by rank, with the current techniques by id', () => {
    const matrix = matrixOf([])
    expect(tacticsOf(matrix)).toBe(TACTICS)
    const current = TECHNIQUES.filter(({ until }) => until === null).map(({ id }) => id)
    expect(idsOf(matrix).sort()).toEqual(current)
    expect(
      matrix.columns.map(({ tactic }) => tactic.phase).filter((phase, n, all) => phase !== all[n - 1]),
    ).toEqual(['Plan', 'Prepare', 'Execute', 'Assess'])
    const personas = cellsOf(matrix).find(({ technique }) => technique.id === 'T0097')
    expect(personas?.below[0]?.technique.id).toBe('T0097.100')
  })

  it('counts campaigns, IODs and quotes by technique, and used ones by tactic', () => {
    const matrix = matrixOf([
      { id: 'T0151.004', campaigns: 2, iods: 3, quotes: 5 },
      { id: 'T0151.001' },
      { id: 'T0151.004', quotes: 1, iods: Number.NaN, campaigns: -3 },
    ])
    const channels = matrix.columns.find(({ tactic }) => tactic.id === 'TA07')
    expect(channels?.used).toBe(2)
    const use = new Map(cellsOf(matrix).map(cell => [cell.technique.id, cell.use]))
    expect(use.get('T0151.004')).toEqual({ campaigns: 2, iods: 3, quotes: 6 })
    expect(use.get('T0151.001')).toEqual({ campaigns: 0, iods: 0, quotes: 0 })
    expect(use.get('T0151')).toBeNull()
  })

  it('of used techniques omits others and empty tactics, but no parent', () => {
    const matrix = matrixOf([{ id: 'T0151.004' }, { id: 'T0002' }], { isUsedOnly: true })
    expect(tacticsOf(matrix)).toBe('TA02 TA07')
    expect(idsOf(matrix)).toEqual(['T0002', 'T0151', 'T0151.004'])
    expect(usedIn(matrix)).toEqual(['T0002', 'T0151.004'])
    expect(matrixOf([], { isUsedOnly: true }).columns).toEqual([])
  })

  it('contains obsolete techniques only where they are used', () => {
    const matrix = matrixOf([{ id: 'T0043.001' }, { id: 'T0019' }])
    const obsolete = cellsOf(matrix).filter(({ technique }) => technique.until !== null)
    expect(obsolete.map(({ technique, use }) => [technique.id, use !== null]).sort()).toEqual([
      ['T0019', true],
      ['T0043', false],
      ['T0043.001', true],
    ])
  })

  it('compares two campaigns', () => {
    const matrix = matrixOf([{ id: 'T0002' }, { id: 'T0066' }, { id: 'X' }], {
      compareWith: [{ id: 'T0066' }, { id: 'T0151.001' }, { id: '__proto__' }],
      isUsedOnly: true,
    })
    const sides = Object.fromEntries(cellsOf(matrix).map(cell => [cell.technique.id, sideOf(cell)]))
    expect(sides).toEqual({ T0002: 'first', T0066: 'both', T0151: null, 'T0151.001': 'second' })
    expect([matrix.isComparison, matrix.unknown]).toEqual([true, ['X', '__proto__']])
  })

  it.each([
    [[], []],
    [[0, 0], [[1, 0, 0]]],
    [[3], [[1, 3, 3]]],
    [
      [0, 1],
      [
        [1, 0, 0],
        [4, 1, 1],
      ],
    ],
    [
      [1, 8],
      [
        [1, 1, 2],
        [2, 3, 4],
        [3, 5, 6],
        [4, 7, 8],
      ],
    ],
  ])('shades counts %j', (counts, expected) => {
    const ids = ['T0002', 'T0066']
    const matrix = matrixOf(counts.map((quotes, n) => ({ id: ids[n] as string, quotes })))
    expect(shadesOf(matrix, 'quotes').map(({ level, from, to }) => [level, from, to])).toEqual(expected)
  })
})

const USES = [{ id: 'T0151.004', quotes: 7, iods: 2 }, { id: 'T0043', quotes: 1 }, { id: 'T0066' }]
const HOSTILE = [
  '</title></svg><script>alert(1)</script>',
  '" onload="alert(1)" x="',
  ']]><![CDATA[&amp;&#0;<!-- -- >',
  '\u0000\u0008\ud800 half \udfff\uffff\u202egnirts\u202c',
  'x'.repeat(10_000),
  '<a href="javascript:alert(1)">a</a>'.repeat(200),
  '漢字'.repeat(500),
  '',
]
const ATTRIBUTES =
  'xmlns width height viewBox role aria-labelledby font-family font-size font-weight fill id patternUnits d stroke stroke-width stroke-dasharray x y text-anchor'.split(
    ' ',
  )

/** Fails unless a document is well-formed, and without any element or attribute that loads or runs something. */
const expectInert = (svg: string) => {
  const { elements } = parse(svg)
  const names = new Set(elements.map(({ name }) => name))
  expect(
    [...names].filter(name => !'svg title desc defs pattern rect path g text'.split(' ').includes(name)),
  ).toEqual([])
  const attributes = new Set(elements.flatMap(each => Object.keys(each.attributes)))
  expect([...attributes].filter(name => !ATTRIBUTES.includes(name))).toEqual([])
  for (const { attributes: of } of elements)
    for (const [name, value] of Object.entries(of))
      if (name !== 'xmlns') expect(value).not.toMatch(/:|url\((?!#)/)
}

describe('the drawn matrix', () => {
  it('has a title, a description with all used techniques, and a pattern for each shade', () => {
    const { elements, texts } = parse(matrixSvg(matrixOf(USES, { isUsedOnly: true }), { title: 'Harbour' }))
    const all = texts.join('\n')
    expect(all).toContain('DISARM matrix: Harbour')
    expect(all).toContain('3 techniques used. T0066')
    expect(all).toContain('T0151.004 Chat Platform: 7 quotes')
    expect(all).toMatch(/T0043 .* · until 1\.5: 1 quote\./)
    expect(all).not.toContain('T0002')
    const patterns = elements.filter(({ name }) => name === 'pattern').map(({ attributes }) => attributes.id)
    const shades = ['matrix-1', 'matrix-2', 'matrix-3', 'matrix-4']
    expect(patterns).toEqual(shades)
    const filled = elements.map(({ attributes }) => attributes.fill).filter(fill => fill?.startsWith('url'))
    expect(new Set(filled)).toEqual(new Set(shades.map(id => `url(#${id})`)))
    const [root] = elements
    expect(root?.attributes).toMatchObject({ role: 'img', 'aria-labelledby': 'matrix-title matrix-desc' })
  })

  it('of two campaigns names each side', () => {
    const matrix = matrixOf(USES, { compareWith: [{ id: 'T0066' }, { id: 'T0002' }], isUsedOnly: true })
    const svg = matrixSvg(matrix, { names: ['North', 'South'], idPrefix: 'm2' })
    const { texts, elements } = parse(svg)
    expect(texts.join('\n')).toContain('T0002 Facilitate State Propaganda: South')
    expect(texts.join('\n')).toMatch(/T0066 [^:]*: Both/)
    expect(elements.filter(({ name }) => name === 'pattern').map(({ attributes }) => attributes.id)).toEqual([
      'm2-first',
      'm2-second',
      'm2-both',
    ])
  })

  it('has French texts', () => {
    const text = parse(matrixSvg(matrixOf(USES), { language: 'fr', title: 'Port' })).texts.join('\n')
    for (const words of [
      'Matrice DISARM: Port',
      '3 techniques utilisées',
      '7 citations',
      'jusqu’à 1.5',
      'Préparer',
    ])
      expect(text).toContain(words)
    expect(parse(matrixSvg(matrixOf([], { isUsedOnly: true }), { language: 'fr' })).texts).toContain(
      'Aucune technique utilisée',
    )
  })

  it.each(HOSTILE)('stays well-formed and inert with the name %j', name => {
    const options: MatrixSvgOptions = { title: name, names: [name, name], idPrefix: name }
    expectInert(matrixSvg(matrixOf(USES), options))
    expectInert(matrixSvg(matrixOf(USES, { compareWith: USES, isUsedOnly: true }), options))
  })

  it('shows a mark for characters that XML forbids or that reorder text', () => {
    const { texts } = parse(matrixSvg(matrixOf(USES), { title: 'a\u0000b\ud800c\u202ed' }))
    expect(texts).toContain('DISARM matrix: a\ufffdb\ufffdc\ufffdd')
  })

  it('stays well-formed with any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (title, other) => {
        const matrix = matrixOf(USES, { compareWith: [{ id: 'T0066' }], isUsedOnly: true })
        expectInert(matrixSvg(matrix, { title, names: [title, other] }))
      }),
      propertyRuns(100),
    )
  })

  it('keeps each text inside its column', () => {
    const { elements } = parse(matrixSvg(matrixOf(TECHNIQUES.map(({ id }) => ({ id, quotes: 1 })))))
    const width = Number(elements[0]?.attributes.width)
    for (const { name, attributes } of elements)
      if (name === 'rect')
        expect(Number(attributes.x ?? 0) + Number(attributes.width)).toBeLessThanOrEqual(width)
  })
})
