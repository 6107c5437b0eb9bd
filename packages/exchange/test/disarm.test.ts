import { LIMITS, TECHNIQUE_PATTERN } from '@iodine/contracts'
import { propertyRuns } from '@iodine/test-kit'
import { anIod } from '@iodine/test-kit/iods'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import glosses from '../data/glosses.json' with { type: 'json' }
import {
  clusterOf,
  findTechnique,
  isTechnique,
  successorsOf,
  TACTICS,
  TECHNIQUES,
  techniqueOf,
  toNavigatorLayer,
  usedTechniques,
  VERSION,
} from '../src/disarm/index.js'
import {
  type ExportContext,
  exportCampaign,
  toCampaignFile,
  toMispEvent,
  toStixBundle,
  type UsedTechnique,
} from '../src/index.js'
import { anyCampaign, campaign } from './campaigns.js'
import { readIods } from './read-iods.js'
import { expectValid } from './stix.js'

const AT = '2026-11-20T12:00:00.000Z'
const LATER = '2026-11-21T12:00:00.000Z'
const context: ExportContext = { now: new Date('2026-11-21T23:30:00.000Z'), changedAt: new Date(LATER) }
const used = (...ids: string[]) => usedTechniques(ids.map(id => ({ id, at: AT })))
const withTechniques = (...ids: string[]): ExportContext => ({ ...context, techniques: used(...ids) })

/** Techniques that are one tag in MISP. */
const inGalaxy = TECHNIQUES.filter(
  ({ id }) =>
    used(id)[0]
      ?.clusters.map(each => each.id)
      .join() === id,
)
const anyTechniques = fc
  .uniqueArray(fc.constantFrom(...inGalaxy), { selector: ({ id }) => id, maxLength: LIMITS.techniquesMax })
  .map(techniques => used(...techniques.map(({ id }) => id)))

const current = TECHNIQUES.filter(({ until }) => until === null).map(({ id }) => id)

describe('the list of techniques', () => {
  it('contains each technique once, sorted by id, with a tactic', () => {
    const ids = TECHNIQUES.map(({ id }) => id)
    expect(ids).toHaveLength(440)
    expect(current).toHaveLength(391)
    expect(current.filter(id => id.includes('.'))).toHaveLength(288)
    expect(ids).toEqual([...new Set(ids)].sort())
    expect(ids.filter(id => !TECHNIQUE_PATTERN.test(id))).toEqual([])
    expect(TECHNIQUES.filter(({ name, tactic }) => name.trim() !== name || !name || !tactic)).toEqual([])
    expect(TECHNIQUES).toContainEqual({
      id: 'T0023.001',
      name: 'Reframe Context',
      tactic: { id: 'TA06', name: 'Develop Content', phase: 'Prepare', rank: 5 },
      since: '2022-07-03',
      until: null,
    })
  })

  it('has the tactics in the order of the matrix', () => {
    expect(TACTICS.map(({ id }) => id.slice(2)).join(' ')).toBe(
      '01 02 13 14 06 15 16 05 07 08 09 17 18 10 11 12',
    )
    expect(new Set(TECHNIQUES.map(({ tactic }) => tactic))).toEqual(new Set(TACTICS))
  })

  it('contains techniques of earlier releases, with current successors', () => {
    expect(findTechnique('T0019.002')).toMatchObject({ name: 'Hijack Hashtags', until: '1.3' })
    expect(findTechnique('T0099.006')).toMatchObject({ since: '1.4', until: '1.4' })
    expect(successorsOf('T0019.002')).toEqual({ ids: ['T0049.002'], basis: 'stated' })
    expect(successorsOf('T0043.001')).toEqual({ ids: ['T0151.004', 'T0155.007'], basis: 'retagged' })
    expect(successorsOf('T0112')).toEqual({ ids: ['T0153.001'], basis: 'ours' })
    const succeeded = TECHNIQUES.filter(({ id }) => successorsOf(id))
    expect(succeeded.filter(({ until }) => until === null)).toEqual([])
    const without = TECHNIQUES.filter(({ id, until }) => until !== null && !successorsOf(id))
    expect(without.map(({ id }) => id)).toEqual(['T0009.001', 'T0099.001', 'T0142'])
    const successors = succeeded.flatMap(({ id }) => successorsOf(id)?.ids ?? [])
    expect(successors.filter(id => !current.includes(id))).toEqual([])
    expect(['T9999', '__proto__', 'constructor', ''].map(successorsOf)).toEqual(Array(4).fill(undefined))
  })

  it('has a gloss of at most 120 characters for each current technique', () => {
    expect(Object.keys(glosses).sort()).toEqual(current)
    expect(Object.values(glosses).filter(each => each.length > 120 || each.trim() !== each)).toEqual([])
  })

  it('computes the UUIDs of MISP’s clusters', () => {
    expect(clusterOf('T0002')).toBe('782afafa-e997-571a-9b25-d04bb322480c')
    expect(clusterOf('T0140.003')).toBe('823c3b54-8eac-5772-8e1c-b7fd55bbe518')
  })

  it('recognizes only its own ids', () => {
    expect(['T0002', 'T0023.001'].map(isTechnique)).toEqual([true, true])
    expect(['T0001', 't0002', 'T0002 ', '__proto__', ''].map(isTechnique)).toEqual(Array(5).fill(false))
  })
})

describe('techniques in STIX', () => {
  it('are attack-patterns in the grouping, with a `uses` relationship of the campaign', () => {
    const detail = campaign([anIod()])
    const { objects } = toStixBundle(detail, withTechniques('T0002', 'T0048.001'))
    expectValid(objects)
    const [pattern, other] = objects.filter(({ type }) => type === 'attack-pattern')
    expect(pattern).toMatchObject({
      name: 'Facilitate State Propaganda',
      kill_chain_phases: [{ kill_chain_name: 'disarm', phase_name: 'plan-objectives' }],
      external_references: ['mitre-attack', 'DISARM'].map(source_name => ({
        source_name,
        external_id: 'T0002',
        url: 'https://github.com/DISARMFoundation/DISARMframeworks/blob/main/generated_pages/techniques/T0002.md',
      })),
      object_marking_refs: ['marking-definition--34098fce-860f-48ae-8e50-ebd3cc5e41da'],
    })
    expect(other?.name).toBe('Boycott/"Cancel" Opponents')
    const campaignObject = objects.find(({ type }) => type === 'campaign')
    const uses = objects.filter(({ relationship_type }) => relationship_type === 'uses')
    expect(uses).toMatchObject(
      [pattern, other].map(target => ({
        source_ref: campaignObject?.id,
        target_ref: target?.id,
        created: AT,
      })),
    )
    const grouping = objects.find(({ type }) => type === 'grouping')
    const ids = [pattern, other, ...uses].map(object => object?.id)
    expect(grouping?.object_refs).toEqual(expect.arrayContaining(ids))
  })

  it('are equal objects in the files of all campaigns, at any time', () => {
    const patternOf = (at: string) =>
      toStixBundle(campaign([]), {
        ...context,
        techniques: usedTechniques([{ id: 'T0002', at }]),
      }).objects.find(({ type }) => type === 'attack-pattern')
    expect(patternOf(AT)).toEqual(patternOf(LATER))
  })

  it('raise the version of the file, even if the clocks differ', () => {
    const detail = campaign([])
    const at = '2026-11-21T12:00:00.500Z'
    const { objects } = toStixBundle(detail, {
      ...context,
      techniques: usedTechniques([{ id: 'T0002', at }]),
    })
    expect(objects.find(({ type }) => type === 'campaign')?.modified).toBe(LATER)
    expect(objects.find(({ type }) => type === 'grouping')?.modified).toBe(at)
  })

  it('keep their id as name if the list lacks them', () => {
    const { objects } = toStixBundle(campaign([]), withTechniques('T0999'))
    expectValid(objects)
    expect(objects).toContainEqual(expect.objectContaining({ type: 'attack-pattern', name: 'T0999' }))
  })

  it('have a newer version with a newer list', () => {
    const [technique] = used('T0002') as [UsedTechnique]
    const versionOf = (listDate: string) =>
      toStixBundle(campaign([]), { ...context, techniques: [{ ...technique, listDate }] }).objects.find(
        ({ type }) => type === 'attack-pattern',
      )
    const [today, next] = [versionOf(technique.listDate), versionOf('2027-03-01')]
    expect(next).toEqual({ ...today, modified: '2027-03-01T00:00:00.000Z' })
    expect(String(next?.modified) > String(today?.modified)).toBe(true)
  })
})

describe('techniques of earlier releases', () => {
  it('have the name of their last release in STIX, and a reference that names it', () => {
    const { objects } = toStixBundle(campaign([]), withTechniques('T0043'))
    expectValid(objects)
    const pattern = objects.find(({ type }) => type === 'attack-pattern')
    expect(pattern).toMatchObject({
      name: 'Chat Apps',
      kill_chain_phases: [{ kill_chain_name: 'disarm', phase_name: 'select-channels-and-affordances' }],
      external_references: ['mitre-attack', 'DISARM'].map(source_name => ({
        source_name,
        external_id: 'T0043',
        description: 'Obsolete: contained in DISARM Red until 1.5',
      })),
    })
  })

  it('are marked in JSON, beside the version of the list', () => {
    const { campaign: written } = toCampaignFile(campaign([]), withTechniques('T0002', 'T0043'))
    expect(written).toMatchObject({
      techniques: ['T0002', 'T0043'],
      techniques_list: VERSION,
      obsolete_techniques: ['T0043'],
    })
    expect(toCampaignFile(campaign([]), withTechniques('T0002')).campaign).not.toHaveProperty(
      'obsolete_techniques',
    )
  })
})

describe('all techniques of all releases', () => {
  const all = TECHNIQUES.map(({ id }) => id)
  const tagsOf = (...ids: string[]) =>
    toMispEvent(campaign([]), withTechniques(...ids))
      .Event.Tag.slice(1)
      .map(({ name }) => name)
  const readFrom = (objects: readonly unknown[]) => objects.flatMap(each => techniqueOf(each) ?? [])

  it('return from STIX', () => {
    const { objects } = toStixBundle(campaign([]), withTechniques(...all))
    expectValid(objects)
    expect(readFrom(objects)).toEqual(all)
  })

  it('return from a bundle that names them in another way', () => {
    const named = (id: string, source_name: string) => ({
      type: 'attack-pattern',
      external_references: [{ source_name, external_id: id }],
    })
    for (const source of ['mitre-attack', 'DISARM'])
      expect(readFrom(all.map(id => named(id, source)))).toEqual(all)
    const byCluster = all.map(id => ({ type: 'attack-pattern', id: `attack-pattern--${clusterOf(id)}` }))
    expect(readFrom(byCluster)).toEqual(all)
  })

  it.each([
    ['T0019', 'Generate Information Pollution'],
    ['T0019.002', 'Hijack Hashtags'],
    ['T0099.001', 'Astroturfing'],
  ])('include %s of VIGINUM’s files, with the kill chains of both frameworks', (id, name) => {
    const pattern = {
      type: 'attack-pattern',
      name,
      kill_chain_phases: ['mitre-attack', 'disarm'].map(kill_chain_name => ({
        kill_chain_name,
        phase_name: 'develop-content',
      })),
      external_references: [{ source_name: 'mitre-attack', external_id: id }],
    }
    expect(techniqueOf(pattern)).toBe(id)
    expect(isTechnique(id)).toBe(true)
    expect(used(id)).toMatchObject([{ name }])
  })

  it('return from JSON', () => {
    expect(toCampaignFile(campaign([]), withTechniques(...all)).campaign.techniques).toEqual(all)
  })

  it('return from MISP, with the parent of those that the galaxy lacks', () => {
    const untagged = all.filter(id => tagsOf(id).length === 0)
    expect(untagged).toEqual([
      'T0011',
      'T0019',
      'T0019.001',
      'T0019.002',
      'T0085.002',
      'T0089.002',
      'T0099.001',
    ])
    const parents = { 'T0114.002': ['T0114'], 'T0129.001': ['T0129'] }
    let withParent = 0
    for (const id of all.filter(each => !untagged.includes(each))) {
      const [first, ...others] = readFrom(tagsOf(id).map(name => ({ name })))
      expect([first, ...others].slice(0, 1)).toEqual(parents[id as keyof typeof parents] ?? [id])
      expect(others.every(each => id.startsWith(`${each}.`))).toBe(true)
      withParent += others.length
    }
    expect(withParent).toBe(25)
  })

  it('have one tag each in MISP, also if several share a parent', () => {
    expect(tagsOf('T0097', 'T0097.102', 'T0097.103')).toEqual([
      'misp-galaxy:disarm-techniques="Create Personas"',
      'misp-galaxy:disarm-techniques="Journalist Persona"',
      'misp-galaxy:disarm-techniques="Activist Persona"',
    ])
  })
})

test('a layer of the Navigator contains the current techniques, with their first quote', () => {
  const quotes = new Map([['T0002', 'Paid groups praise the ministry.']])
  const layer = toNavigatorLayer(campaign([]), used('T0002', 'T0043', 'T0151.004', 'T0998'), quotes)
  expect(layer).toMatchObject({ domain: 'DISARM', versions: { layer: '4.4' } })
  expect(layer.techniques).toEqual([
    {
      techniqueID: 'T0002',
      tactic: 'plan-objectives',
      score: 1,
      comment: 'Paid groups praise the ministry.',
      enabled: true,
    },
    {
      techniqueID: 'T0151.004',
      tactic: 'select-channels-and-affordances',
      score: 1,
      comment: '',
      enabled: true,
    },
  ])
})

test('in MISP, techniques are tags with the unescaped value of the galaxy’s cluster', () => {
  const { Tag } = toMispEvent(campaign([]), withTechniques('T0002', 'T0048.001', 'T0999')).Event
  expect(Tag.map(({ name }) => name)).toEqual([
    'tlp:green',
    'misp-galaxy:disarm-techniques="Facilitate State Propaganda"',
    'misp-galaxy:disarm-techniques="Boycott/"Cancel" Opponents"',
  ])
})

test('in JSON, techniques are ids; without techniques the property is absent', () => {
  const detail = campaign([])
  expect(toCampaignFile(detail, withTechniques('T0023', 'T0002')).campaign.techniques).toEqual([
    'T0023',
    'T0002',
  ])
  for (const techniques of [undefined, []])
    expect(toCampaignFile(detail, { ...context, techniques }).campaign).not.toHaveProperty('techniques')
})

test('techniques change nothing else in a file, and are imported from the format of each tool', () => {
  fc.assert(
    fc.property(anyCampaign, anyTechniques, (detail, techniques) => {
      const ids = techniques.map(({ id }) => id)
      const both = (format: 'json' | 'stix' | 'misp' | 'csv') =>
        [{ ...context, techniques }, context].map(each => exportCampaign(detail, format, each).text) as [
          string,
          string,
        ]
      const [csv, plainCsv] = both('csv')
      expect(csv).toBe(plainCsv)
      const [json, plainJson] = both('json')
      expect(readIods(json)).toEqual(readIods(plainJson))
      const [stix, plainStix] = both('stix')
      expect(readIods(stix)).toEqual(readIods(plainStix))
      const { objects } = JSON.parse(stix)
      expectValid(objects)
      expect(objects.flatMap((each: unknown) => techniqueOf(each) ?? [])).toEqual(ids)
      const { Event } = JSON.parse(both('misp')[0])
      expect(Event.Tag.flatMap((each: unknown) => techniqueOf(each) ?? [])).toEqual(ids)
    }),
    propertyRuns(30),
  )
})

describe('techniqueOf', () => {
  const pattern = (...external_references: unknown[]) => ({ type: 'attack-pattern', external_references })
  const reference = (source_name: string, external_id: string) => ({ source_name, external_id })
  const ofCluster = (uuid: string) => ({
    type: 'attack-pattern',
    id: `attack-pattern--${uuid}`,
    name: 'Named otherwise',
  })

  test.each<[unknown, string | undefined]>([
    [pattern(reference('mitre-attack', 'T0002')), 'T0002'],
    [pattern(reference('DISARM', 'T0002')), 'T0002'],
    [pattern(reference(' Disarm ', 't0023.001 ')), 'T0023.001'],
    [pattern(reference('Mitre-Attack', 'T0023.001')), 'T0023.001'],
    [pattern({ source_name: 'a blog', url: 'https://example.org' }, reference('disarm', 'T0002')), 'T0002'],
    // Techniques of a newer DISARM version than the list's.
    [pattern(reference('mitre-attack', 'T0097.103')), 'T0097.103'],
    [pattern(reference('DISARM', 'T0999')), 'T0999'],
    // Techniques of ATT&CK, for industrial control systems and for others.
    [pattern(reference('mitre-attack', 'T0817')), undefined],
    [pattern(reference('mitre-attack', 'T1566.001')), undefined],
    [pattern(reference('capec', 'T0002')), undefined],
    [pattern(reference('DISARM', 'TA01')), 'TA01'],
    [pattern(reference('DISARM', 'TA01'), reference('mitre-attack', 'T0002')), 'T0002'],
    [pattern(reference('DISARM', ' ')), undefined],
    [pattern(null, 7, 'text', {}, { source_name: 7, external_id: 'T0002' }), undefined],
    [{ type: 'attack-pattern', external_references: 'T0002' }, undefined],
    [{ type: 'attack-pattern' }, undefined],
    // Identified by the UUID of the cluster in MISP's galaxy.
    [ofCluster('782afafa-e997-571a-9b25-d04bb322480c'), 'T0002'],
    [ofCluster('c887503d-e5f5-5f06-a92a-9e50ec908eb6'), 'T0023.001'],
    [ofCluster('823c3b54-8eac-5772-8e1c-b7fd55bbe518'), 'T0140.003'],
    [ofCluster('782afafa-e997-571a-9b25-d04bb322480d'), undefined],
    [{ type: 'attack-pattern', id: 'attack-pattern--__proto__' }, undefined],
    [{ ...pattern(reference('DISARM', 'T0002')), type: 'course-of-action' }, undefined],
    [null, undefined],
    ['T0002', undefined],
    [[], undefined],
  ])('STIX: %j is %s', (object, id) => {
    expect(techniqueOf(object)).toBe(id)
  })

  test.each<[string, string | undefined]>([
    ['misp-galaxy:disarm-techniques="Facilitate State Propaganda"', 'T0002'],
    ['MISP-GALAXY:DISARM-TECHNIQUES="FACILITATE STATE PROPAGANDA"', 'T0002'],
    ['misp-galaxy:disarm-techniques="T0002 - Facilitate State Propaganda"', 'T0002'],
    ['misp-galaxy:disarm-techniques="Facilitate State Propaganda - T0002"', 'T0002'],
    ['misp-galaxy:disarm-techniques="Activist Persona - T0097.103"', 'T0097.103'],
    ['misp-galaxy:disarm-techniques="T0002"', 'T0002'],
    ['misp-galaxy:disarm-techniques="Boycott/"Cancel" Opponents"', 'T0048.001'],
    // Earlier names, and a name that two ids share.
    ['misp-galaxy:disarm-techniques="Create Personas"', 'T0097'],
    ['misp-galaxy:disarm-techniques="present persona"', 'T0097'],
    ['misp-galaxy:disarm-techniques="Dating Apps"', 'T0104.002'],
    ['misp-galaxy:disarm-techniques="Hijack Hashtags"', 'T0019.002'],
    ['misp-galaxy:disarm-techniques="Create Fake Research"', 'T0085.007'],
    ['misp-galaxy:disarm-techniques="Traditional Media"', 'T0111'],
    ['misp-galaxy:disarm-techniques="Conceal Network Identity"', 'T0128.002'],
    ['misp-galaxy:disarm-techniques="Unheard of"', 'Unheard of'],
    ['misp-galaxy:disarm-techniques=""', undefined],
    ['misp-galaxy:mitre-attack-pattern="Facilitate State Propaganda"', undefined],
    ['tlp:green', undefined],
  ])('MISP: %s is %s', (name, id) => {
    expect(techniqueOf({ name })).toBe(id)
  })

  it('accepts any value without an error', () => {
    fc.assert(fc.property(fc.anything(), object => void techniqueOf(object)))
    expect(techniqueOf({ name: 7 })).toBeUndefined()
  })
})
