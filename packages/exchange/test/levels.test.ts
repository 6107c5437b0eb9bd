import { highestTlp, rankOfTlp, TLP_LEVELS, type Tlp } from '@iodine/contracts'
import { propertyRuns } from '@iodine/test-kit'
import { anIod } from '@iodine/test-kit/iods'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { exportCampaign, exportIods, formatOf, toCampaignFile } from '../src/index.js'
import { tlpOfDefinition, tlpOfTag, tlpOfText, toMarking } from '../src/tlp.js'
import { campaign } from './campaigns.js'
import { readIods } from './read-iods.js'

const now = new Date('2026-11-21T10:00:00Z')
const marked = (...levels: (Tlp | null)[]) => {
  const iods = levels.map((_, n) => anIod({ category: 'DOMAIN', value: `${n}.example.org` }))
  return {
    detail: campaign(iods),
    levels: new Map(iods.flatMap(({ id }, n) => (levels[n] ? [[id, levels[n] as Tlp]] : []))),
  }
}

describe('a TLP level in Iodine’s own formats', () => {
  it('is in JSON if present, and changes nothing else', () => {
    const { detail, levels } = marked('red', null)
    const plain = toCampaignFile(detail, { now, tlp: 'green' })
    expect(JSON.stringify(plain)).not.toContain('tlp')
    const file = toCampaignFile(detail, { now, tlp: 'amber', levels })
    expect(file).toEqual({
      ...plain,
      campaign: { ...plain.campaign, tlp: 'amber' },
      iods: [{ ...plain.iods[0], tlp: 'red' }, plain.iods[1]],
    })
  })

  it('is the last column of the CSV of a campaign with a level, or with a marked IOD', () => {
    const { detail, levels } = marked('red', null)
    const columns = (text: string) => text.split('\r\n').map(line => line.split(',').at(-1))
    const plain = exportCampaign(detail, 'csv', { now }).text
    expect(columns(plain)[0]).toBe('comments')
    for (const tlp of ['clear', 'green'] as const)
      expect(columns(exportCampaign(detail, 'csv', { now, tlp }).text)).toEqual(['tlp', tlp, tlp, ''])
    expect(columns(exportCampaign(detail, 'csv', { now, levels }).text)).toEqual(['tlp', 'red', '', ''])
    const amber = exportCampaign(detail, 'csv', { now, levels, tlp: 'amber' }).text
    expect(columns(amber)).toEqual(['tlp', 'red', 'amber', ''])
    expect(amber.split('\r\n')[0]?.startsWith(plain.split('\r\n')[0] ?? '-')).toBe(true)
  })

  test.each(['json', 'csv'] as const)('is imported from %s, and never lowered', format => {
    const level = fc.constantFrom(...TLP_LEVELS, null)
    fc.assert(
      fc.property(
        fc.array(level, { minLength: 1, maxLength: 5 }),
        fc.constantFrom(...TLP_LEVELS),
        (given, tlp) => {
          const { detail, levels } = marked(...given)
          const context = { now, levels, tlp }
          const { text } = exportCampaign(detail, format, context)
          const above = rankOfTlp(tlp) > rankOfTlp('green') ? tlp : null
          const read = readIods(text).map(entry => rankOfTlp(entry.tlp ?? 'clear'))
          for (const [n, rank] of read.entries())
            expect(rank).toBeGreaterThanOrEqual(rankOfTlp(highestTlp([given[n], above]) ?? 'clear'))
          const alone = readIods(exportIods(detail.iods, format, { now, levels }).text)
          expect(alone.map(entry => entry.tlp ?? null)).toEqual(given)
          expect(formatOf(text)).toBe(format)
        },
      ),
      propertyRuns(100),
    )
  })

  test.each([
    [undefined, null],
    ['', null],
    ['TLP:AMBER+STRICT', 'amber+strict'],
    [' white ', 'clear'],
    ['purple', 'red'],
    [5, 'red'],
    [{}, 'red'],
  ] as const)('%j is read as %s', (given, level) => {
    expect(tlpOfText(given)).toBe(level)
  })

  test.each([
    ['tlp:amber', 'amber'],
    ['TLP:White', 'clear'],
    ['tlp:unclear', 'red'],
    ['misp-galaxy:tlp="x"', null],
  ] as const)('the tag %s has the level %s', (name, level) => {
    expect(tlpOfTag(name)).toBe(level)
  })
})

describe('a marking', () => {
  test.each([
    ['an unknown level beside a known one', { name: 'TLP:GREEN', definition: { tlp: 'purple' } }, 'red'],
    [
      'an unknown level in OpenCTI’s own property',
      { name: 'TLP:GREEN', x_opencti_definition_type: 'TLP', x_opencti_definition: 'purple' },
      'red',
    ],
    [
      'a known id with a stricter definition',
      { ...toMarking('green'), definition: { tlp: 'amber' } },
      'amber',
    ],
    ['a known id with a laxer definition', { ...toMarking('red'), definition: { tlp: 'white' } }, 'red'],
    ['two versions in one extension', { extensions: { x: { tlp_2_0: 'green', tlp: 'red' } } }, 'red'],
  ])('has its strictest level: %s', (_, definition, level) => {
    expect(tlpOfDefinition({ type: 'marking-definition', ...definition })).toBe(level)
  })
})

describe('formatOf detects', () => {
  test.each([
    ['{"type":"bundle","objects":[{"type":"malware"}]}', 'stix'],
    ['[{"type":"malware"}]', 'stix'],
    ['{"Event":{"info":"x"}}', 'misp'],
    ['{"response":[]}', 'misp'],
    ['[{"Event":{}}]', 'misp'],
    ['\uFEFF {"info":"x","Attribute":[]}', 'misp'],
    ['{"campaign":{"tlp":"amber"},"iods":[]}', 'json'],
    ['{"iods":[{"tlp":"red"}]}', 'json'],
    ['value,category,tlp\na,URL,red', 'csv'],
    ['value,category,TLP\na,URL,red', 'csv'],
    ['value,category\na,URL', 'csv'],
    ['{"campaign":{},"iods":[{"value":"x"}]}', 'json'],
    ['{"type":"bundle","objects":[]}', 'stix'],
    ['{"iods":', 'json'],
    ['nonsense', 'csv'],
    ['null', 'csv'],
  ])('%s as %s', (text, format) => {
    expect(formatOf(text)).toBe(format)
  })
})
