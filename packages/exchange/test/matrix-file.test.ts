import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import {
  matrixCsv,
  matrixLayer,
  matrixOf,
  TACTICS,
  toNavigatorLayer,
  usedTechniques,
} from '../src/disarm/index.js'
import { readRows } from '../src/index.js'
import { campaign } from './campaigns.js'

const text = { type: 'string' }
/**
 * Properties of a layer that Iodine writes, transcribed from LAYERFORMATv4_4.md of MITRE's Navigator. Its list of domains
 * is ATT&CK's; DISARM's Navigator has the domain DISARM.
 */
const LAYER = {
  type: 'object',
  required: ['name', 'domain', 'versions'],
  additionalProperties: false,
  properties: {
    name: text,
    description: text,
    domain: { const: 'DISARM' },
    versions: {
      type: 'object',
      required: ['navigator', 'layer'],
      additionalProperties: false,
      properties: {
        attack: text,
        navigator: { type: 'string', pattern: '^4\\.(8|9|\\d\\d)\\.' },
        layer: { const: '4.4' },
      },
    },
    techniques: {
      type: 'array',
      items: {
        type: 'object',
        required: ['techniqueID'],
        additionalProperties: false,
        properties: {
          techniqueID: { type: 'string', pattern: '^T\\d{4}(\\.\\d{3})?$' },
          tactic: { enum: TACTICS.map(({ name }) => name.toLowerCase().replaceAll(' ', '-')) },
          comment: text,
          enabled: { type: 'boolean' },
          score: { type: 'number' },
          color: { type: 'string', pattern: '^#[0-9a-f]{6}$' },
        },
      },
    },
  },
}
const ajv = new Ajv2020({ allErrors: true })
const faultsOf = (layer: unknown) =>
  ajv.validate(LAYER, JSON.parse(JSON.stringify(layer))) ? [] : ajv.errors

const first = [
  { id: 'T0002', campaigns: 2, iods: 1, quotes: 5 },
  { id: 'T0043', campaigns: 1 },
  { id: 'T0023.001', campaigns: 1 },
]
const second = [{ id: 'T0002' }, { id: 'T0151.004' }, { id: 'T0999' }]
const HOSTILE = '=HYPERLINK("https://example.org")'

describe('layers of the Navigator', () => {
  it('have the published shape', () => {
    const used = usedTechniques(
      ['T0002', 'T0043', 'T0999'].map(id => ({ id, at: '2026-11-20T12:00:00.000Z' })),
    )
    expect(faultsOf(toNavigatorLayer(campaign([]), used, new Map([['T0002', '"a"\n<b>']])))).toEqual([])
    expect(faultsOf(matrixLayer(matrixOf(first), { title: HOSTILE }))).toEqual([])
    expect(faultsOf(matrixLayer(matrixOf(first, { compareWith: second }), { title: '' }))).toEqual([])
    expect(faultsOf({ ...matrixLayer(matrixOf([]), { title: '' }), extra: 1 })).toHaveLength(1)
  })

  it('have the count as the score, without obsolete techniques', () => {
    const scores = (measure: 'campaigns' | 'quotes') =>
      matrixLayer(matrixOf(first), { title: 'a', measure }).techniques.map(each => [
        each.techniqueID,
        each.score,
      ])
    expect(scores('campaigns')).toEqual([
      ['T0002', 2],
      ['T0023.001', 1],
    ])
    expect(scores('quotes')).toEqual([
      ['T0002', 5],
      ['T0023.001', 1],
    ])
  })

  it('of a comparison name the campaigns', () => {
    const matrix = matrixOf(first, { compareWith: second })
    const { techniques } = matrixLayer(matrix, { title: 'a', names: ['Mirrors', 'Lakes'] })
    expect(techniques.map(({ techniqueID, score, comment }) => [techniqueID, score, comment])).toEqual([
      ['T0002', 3, 'Mirrors; Lakes'],
      ['T0023.001', 1, 'Mirrors'],
      ['T0151.004', 2, 'Lakes'],
    ])
  })
})

describe('a matrix as CSV', () => {
  it('has a row for each used technique, with its counts', () => {
    const [header, ...rows] = readRows(matrixCsv(matrixOf(first)))
    expect(header).toEqual(['id', 'name', 'tactic_id', 'tactic', 'until', 'campaigns', 'iods', 'quotes'])
    expect(rows[0]).toEqual([
      'T0002',
      'Facilitate State Propaganda',
      'TA02',
      'Plan Objectives',
      '',
      '2',
      '1',
      '5',
    ])
    expect(rows.find(([id]) => id === 'T0043')?.[4]).toBe('1.5')
    expect(rows).toHaveLength(3)
  })

  it('of a comparison names the campaigns, whose names are no formulas', () => {
    const csv = matrixCsv(matrixOf(first, { compareWith: second }), { names: [HOSTILE, 'Lakes'] })
    expect(csv).not.toMatch(/(^|[,;"])=/m)
    const rows = readRows(csv)
    expect(rows[0]?.at(-1)).toBe('used_by')
    expect(rows.find(([id]) => id === 'T0151.004')?.at(-1)).toBe('Lakes')
    expect(rows.find(([id]) => id === 'T0002')?.at(-1)).toBe(`${HOSTILE}; Lakes`)
  })
})
