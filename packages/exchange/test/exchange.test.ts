import { readdirSync, readFileSync } from 'node:fs'
import {
  type CampaignDetail,
  type Evidence,
  EXPORT_FORMATS,
  type Iod,
  importedQuote,
  LIMITS,
} from '@iodine/contracts'
import { propertyRuns } from '@iodine/test-kit'
import { anEvidence, anIod as iod, aVote as vote } from '@iodine/test-kit/iods'
import fc from 'fast-check'
import Papa from 'papaparse'
import { describe, expect, it, test } from 'vitest'
import { usedTechniques } from '../src/disarm/index.js'
import { FIELD_NAMES } from '../src/fields.js'
import {
  exportCampaign,
  exportIods,
  iodKey,
  type MispEvent,
  type StixObject,
  toCampaignFile,
  toMispEvent,
  toStixBundle,
  UnreadableFile,
} from '../src/index.js'
import { escapeFormula, unescapeFormula, writeCsv } from '../src/spreadsheet.js'
import { anyCampaign, anyCampaignWithEvidence, campaign } from './campaigns.js'
import { readBytes, readIods } from './read-iods.js'
import { expectValid, REQUIRED, TIME, UUID } from './stix.js'

const context = { now: new Date('2026-11-21T23:30:00.000Z'), userId: 'a'.repeat(24) }

describe('the JSON file', () => {
  it('has the specified shape and counts', () => {
    const voted = iod({ votes: [vote('bo', 'POSITIVE'), vote(null, 'NEGATIVE'), vote('di', 'POSITIVE')] })
    const other = iod({ category: 'URL', source_type: 'BLOG', value: 'https://example.org' })
    const detail = campaign([voted, other, iod({ value: 'again' })])
    expect(toCampaignFile(detail, context)).toEqual({
      campaign: {
        id: detail.id,
        name: 'Mirrors',
        description: 'About mirrors',
        created_by_id: detail.created_by_id,
        created_at: detail.created_at,
        total_iods: 3,
        categories: ['SENTENCE', 'URL'],
        source_types: ['MANUAL', 'BLOG'],
      },
      iods: [
        { ...voted, positive_votes: 2, negative_votes: 1 },
        { ...other, positive_votes: 0, negative_votes: 0 },
        { ...detail.iods[2], positive_votes: 0, negative_votes: 0 },
      ],
      statistics: {
        total_iods: 3,
        unique_categories: 2,
        unique_sources: 2,
        total_votes: 3,
        total_comments: 0,
        category_distribution: { SENTENCE: 2, URL: 1 },
      },
      exported_at: '2026-11-21T23:30:00.000Z',
      exported_by: 'a'.repeat(24),
    })
    expect(toCampaignFile(detail, { now: context.now }).exported_by).toBe('unknown')
  })

  test.each([
    ['Mirrors', 'campaign_mirrors_2026-11-21.json'],
    ['Été 2026 – n°1', 'campaign__t__2026___n_1_2026-11-21.json'],
    ['../../etc/passwd\r\n"', 'campaign_______etc_passwd____2026-11-21.json'],
    ['x'.repeat(10_000), `campaign_${'x'.repeat(200)}_2026-11-21.json`],
  ])('has a safe file name (%#)', (name, file) => {
    expect(exportCampaign(campaign([], { name }), 'json', context).name).toBe(file)
  })
})

describe('the STIX bundle', () => {
  test.each<[Partial<Iod>, Partial<StixObject>, string]>([
    [
      { category: 'URL', value: "https://example.org/o'n" },
      { type: 'url', value: "https://example.org/o'n" },
      "[url:value = 'https://example.org/o\\'n']",
    ],
    [
      { category: 'URL', value: 'no address' },
      { type: 'text', value: 'no address' },
      "[text:value = 'no address']",
    ],
    [
      { category: 'DOMAIN', value: 'example.org' },
      { type: 'domain-name', value: 'example.org' },
      "[domain-name:value = 'example.org']",
    ],
    [
      { category: 'IP_ADDRESS', value: '10.1.2.3' },
      { type: 'ipv4-addr', value: '10.1.2.3' },
      "[ipv4-addr:value = '10.1.2.3']",
    ],
    [
      { category: 'IP_ADDRESS', value: '2001:db8::1' },
      { type: 'ipv6-addr', value: '2001:db8::1' },
      "[ipv6-addr:value = '2001:db8::1']",
    ],
    [
      { category: 'URL', value: 'https://example.org/été?q="x|y"' },
      { type: 'url', value: 'https://example.org/%C3%A9t%C3%A9?q=%22x%7Cy%22' },
      "[url:value = 'https://example.org/%C3%A9t%C3%A9?q=%22x%7Cy%22']",
    ],
    ...['10.0.0.0/8', '0.0.0.0/0', '192.0.2.7/32'].map(
      (value): [Partial<Iod>, Partial<StixObject>, string] => [
        { category: 'IP_ADDRESS', value },
        { type: 'ipv4-addr', value },
        `[ipv4-addr:value = '${value}']`,
      ],
    ),
    [
      { category: 'IP_ADDRESS', value: '2001:db8::/32' },
      { type: 'ipv6-addr', value: '2001:db8::/32' },
      "[ipv6-addr:value = '2001:db8::/32']",
    ],
    [{ category: 'IP_ADDRESS', value: '10.0.0.0/33' }, { type: 'text' }, "[text:value = '10.0.0.0/33']"],
    [{ category: 'IP_ADDRESS', value: '10.0.0.0/08' }, { type: 'text' }, "[text:value = '10.0.0.0/08']"],
    ...[
      ['https://example.org/[x].pdf', 'https://example.org/%5Bx%5D.pdf'],
      ['https://example.org/a#b#c', 'https://example.org/a#b%23c'],
      ['https://example.org/100%/a%2f%zz', 'https://example.org/100%25/a%2f%25zz'],
      ['https://example.org/a b?q=[1]|\\^`{}', 'https://example.org/a%20b?q=%5B1%5D%7C%5C%5E%60%7B%7D'],
      ['https://bücher.example:8443/ſ', 'https://xn--bcher-kva.example:8443/%C5%BF'],
      ['https://exämple.com:80/a', 'https://xn--exmple-cua.com:80/a'],
      ['http://exämple.com:443/a', 'http://xn--exmple-cua.com:443/a'],
      ['https://a:b^c@example.org/', 'https://a:b%5Ec@example.org/'],
      ['https://[2001:db8::1]:8443/[a]', 'https://[2001:db8::1]:8443/%5Ba%5D'],
      ['HTTP://Example.org/../%41', 'HTTP://Example.org/../%41'],
    ].map(([value = '', uri]): [Partial<Iod>, Partial<StixObject>, string] => [
      { category: 'URL', value },
      { type: 'url', value: uri },
      `[url:value = '${uri}']`,
    ]),
    [{ category: 'IP_ADDRESS', value: '10.1.2.333' }, { type: 'text' }, "[text:value = '10.1.2.333']"],
    [
      { category: 'HASH', value: 'a'.repeat(32) },
      { type: 'file', hashes: { MD5: 'a'.repeat(32) } },
      `[file:hashes.'MD5' = '${'a'.repeat(32)}']`,
    ],
    [
      { category: 'HASH', value: 'b'.repeat(64) },
      { type: 'file', hashes: { 'SHA-256': 'b'.repeat(64) } },
      `[file:hashes.'SHA-256' = '${'b'.repeat(64)}']`,
    ],
    [{ category: 'HASH', value: 'ffee00' }, { type: 'text' }, "[text:value = 'ffee00']"],
    [
      { category: 'USERNAME', value: 'lake_truth', source_type: 'TIKTOK' },
      { type: 'user-account', account_login: 'lake_truth', account_type: 'tiktok' },
      "[user-account:account_login = 'lake_truth']",
    ],
    [
      { category: 'FULL_NAME', value: 'Ann Lee' },
      { type: 'identity', identity_class: 'individual' },
      "[text:value = 'Ann Lee']",
    ],
    [
      { category: 'COMPANY', value: 'Mirrors Ltd' },
      { type: 'identity', identity_class: 'organization' },
      "[text:value = 'Mirrors Ltd']",
    ],
    [{ category: 'SENTENCE', value: 'back\\slash' }, { type: 'text' }, "[text:value = 'back\\\\slash']"],
    [
      { category: 'NARRATIVE_TRIPLET', value: 'a b c', source_type: 'NARRATIVES' },
      { type: 'narrative', name: 'a b c' },
      "[text:value = 'a b c']",
    ],
  ])('contains %j as %j', (fields, object, pattern) => {
    const { objects } = toStixBundle(campaign([iod(fields)]), context)
    expectValid(objects)
    expect(objects).toContainEqual(expect.objectContaining(object))
    expect(objects.find(({ type }) => type === 'indicator')).toMatchObject({ name: fields.value, pattern })
  })

  it('contains the authors of votes and comments', () => {
    const discussed = iod({
      votes: [vote('bo', 'NEGATIVE'), vote(null, 'POSITIVE')],
      comments: [{ ...vote('di', 'POSITIVE'), content: 'Seen before' }].map(
        ({ vote_type: _, ...comment }) => comment,
      ),
    })
    const { objects } = toStixBundle(campaign([discussed]), context)
    expectValid(objects)
    const indicator = objects.find(({ type }) => type === 'indicator')?.id
    const about = { object_refs: [indicator] }
    expect(objects).toContainEqual(
      expect.objectContaining({ opinion: 'disagree', authors: ['bo'], ...about }),
    )
    expect(objects).toContainEqual(
      expect.objectContaining({ opinion: 'agree', authors: ['Unknown'], ...about }),
    )
    expect(objects).toContainEqual(
      expect.objectContaining({ content: 'Seen before', authors: ['di'], ...about }),
    )
  })

  it('depends only on the content; a changed object has a newer version under its id', () => {
    const detail = campaign([iod(), iod({ value: 'other' })])
    const first = toStixBundle(detail, context)
    const later = { now: new Date('2026-11-22T08:00:00.000Z') }
    expect(toStixBundle(detail, later)).toEqual(first)
    const changesAfter = (next: CampaignDetail, changedAt?: Date) => {
      const { objects } = toStixBundle(next, { ...later, changedAt })
      const before = new Map(first.objects.map(object => [object.id, object]))
      return objects
        .filter(object => object.modified !== before.get(object.id)?.modified)
        .map(({ id, type, modified }) => ({ type, modified, isKnown: before.has(id) }))
    }
    const renamed = new Date('2026-11-22T07:00:00.000Z')
    const at = (type: string, modified: string, isKnown = true) => ({ type, modified, isKnown })
    expect(changesAfter({ ...detail, name: 'Renamed' }, renamed)).toEqual([
      at('campaign', renamed.toISOString()),
      at('grouping', renamed.toISOString()),
    ])
    const created_at = '2026-11-22T07:30:00.000Z'
    const votes = [{ ...vote('bo', 'POSITIVE'), created_at }]
    const iods = detail.iods.map((each, index) => (index ? each : { ...each, votes }))
    expect(changesAfter({ ...detail, iods })).toEqual([
      at('opinion', created_at, false),
      at('grouping', created_at),
    ])
  })

  it('is never dated before the creation, even if the clocks differ', () => {
    const detail = campaign([])
    const { objects } = toStixBundle(detail, { ...context, changedAt: new Date(0) })
    expect(objects.find(({ type }) => type === 'campaign')?.modified).toBe(detail.created_at)
  })

  it('derives the ids of an IOD from its uid', () => {
    const [here, there] = [iod({ value: 'Same' }), iod({ value: 'Same' })]
    expect(here.id).not.toBe(there.id)
    const detail = campaign([])
    const idsOf = (only: Iod, uid?: string) => {
      const since = only.created_at
      const statements =
        uid === undefined ? undefined : new Map([[only.id, { uid, confidence: null, since, tlp: null }]])
      const files = { ...context, statements }
      const { objects } = toStixBundle({ ...detail, iods: [only] }, files)
      const { Attribute } = toMispEvent({ ...detail, iods: [only] }, files).Event
      return [objects.find(({ type }) => type === 'indicator')?.id, Attribute[0]?.uuid]
    }
    expect(idsOf(here, 'uid')).toEqual(idsOf(there, 'uid'))
    // An IOD without a uid uses its id.
    expect(idsOf(here, here.id)).toEqual(idsOf(here))
    expect(idsOf(here)).not.toEqual(idsOf(there))
  })

  // The first two are examples of STIX 2.1; other implementations derive all of them.
  test.each([
    ['DOMAIN', 'example.com', 'domain-name--bedb4899-d24b-5401-bc86-8f6b4cc18ec7'],
    ['IP_ADDRESS', '198.51.100.3', 'ipv4-addr--28bb3599-77cd-5a82-a950-b5bc3caf07c4'],
    ['IP_ADDRESS', '2001:db8::1', 'ipv6-addr--6469e3a9-b053-5e34-a025-9396ae051d26'],
  ] as const)(
    'has the deterministic id of the observable of %s %s (STIX 2.1, 2.9)',
    (category, value, id) => {
      const { objects } = toStixBundle(campaign([iod({ category, value })]), context)
      expect(objects.map(object => object.id)).toContain(id)
    },
  )
})

describe('confidence in STIX', () => {
  const only = iod()
  const since = '2026-11-20T12:00:00.000Z'
  const exported = (confidence: number | null) => {
    const statements = new Map([[only.id, { uid: only.id, confidence, since, tlp: null }]])
    return toStixBundle(campaign([only]), { ...context, statements }).objects
  }
  const indicatorOf = (objects: StixObject[]) => objects.find(({ type }) => type === 'indicator')

  test.each([0, 21, 100])('equals the statement, and sets the version: %d', confidence => {
    const objects = exported(confidence)
    expectValid(objects)
    expect(indicatorOf(objects)).toMatchObject({ confidence, created: only.created_at, modified: since })
  })

  it('is absent without counting votes, and still sets the version', () => {
    const objects = exported(null)
    expectValid(objects)
    expect(indicatorOf(objects)).not.toHaveProperty('confidence')
    expect(indicatorOf(objects)?.modified).toBe(since)
    const { objects: plain } = toStixBundle(campaign([only]), context)
    expect(indicatorOf(plain)).toEqual({ ...indicatorOf(objects), modified: only.created_at })
  })

  it('does not affect other formats and imports', () => {
    fc.assert(
      fc.property(anyCampaign, fc.integer({ min: 0, max: 100 }), (detail, confidence) => {
        const statements = new Map(
          detail.iods.map(({ id, created_at }) => [
            id,
            { uid: id, confidence, since: created_at, tlp: null },
          ]),
        )
        for (const format of EXPORT_FORMATS) {
          const { text } = exportCampaign(detail, format, { ...context, statements })
          const plain = exportCampaign(detail, format, context).text
          if (format === 'stix') {
            expectValid(JSON.parse(text).objects)
            expect(readIods(text)).toEqual(readIods(plain))
          } else expect(text).toBe(plain)
        }
      }),
      propertyRuns(30),
    )
  })
})

describe('the MISP event', () => {
  test.each<[Partial<Iod>, object]>([
    [
      { category: 'URL', value: 'https://example.org' },
      { type: 'url', category: 'Network activity', to_ids: true },
    ],
    [
      { category: 'DOMAIN', value: 'example.org' },
      { type: 'domain', category: 'Network activity', to_ids: true },
    ],
    [
      { category: 'IP_ADDRESS', value: '::1' },
      { type: 'ip-dst', category: 'Network activity', to_ids: true },
    ],
    [
      { category: 'IP_ADDRESS', value: 'none' },
      { type: 'text', category: 'Other', to_ids: false },
    ],
    [
      { category: 'HASH', value: 'a'.repeat(40) },
      { type: 'sha1', category: 'External analysis', to_ids: true },
    ],
    [
      { category: 'HASH', value: 'a'.repeat(128) },
      { type: 'sha512', category: 'Payload delivery', to_ids: true },
    ],
    [
      { category: 'FULL_NAME', value: 'Ann Lee' },
      { type: 'full-name', category: 'Person', to_ids: false },
    ],
    [
      { category: 'USERNAME', value: 'ann' },
      { type: 'text', category: 'Social network', to_ids: false },
    ],
    [
      { category: 'HASHTAGS', value: '#lake' },
      { type: 'text', category: 'Other', to_ids: false },
    ],
  ])('contains %j as %j', (fields, attribute) => {
    const made = iod(fields)
    const { Event } = toMispEvent(campaign([made]), context)
    expect(Event.Attribute).toEqual([
      expect.objectContaining({
        ...attribute,
        value: made.value,
        comment: made.description,
        distribution: '5',
      }),
    ])
  })

  it('contains votes as opinions, and the same ids in each export', () => {
    const detail = campaign([iod({ votes: [vote('bo', 'POSITIVE'), vote('di', 'NEGATIVE')] })])
    const { Event } = toMispEvent(detail, context)
    const [attribute] = Event.Attribute
    const about = { object_uuid: attribute?.uuid, object_type: 'Attribute' }
    expect(attribute?.Opinion).toEqual([
      expect.objectContaining({ ...about, authors: 'bo', opinion: '100' }),
      expect.objectContaining({ ...about, authors: 'di', opinion: '0' }),
    ])
    expect(Event).toMatchObject({
      threat_level_id: '4',
      published: false,
      date: '2026-10-30',
      info: 'Mirrors',
    })
    expect(toMispEvent(detail, context)).toEqual({ Event })
  })
})

describe('evidence', () => {
  const quoted = iod()
  const sealed = anEvidence({ iod_id: quoted.id })
  const unsealed = anEvidence({
    iod_id: quoted.id,
    kind: 'record',
    role: 'record',
    pointer: '/main/description',
    seal: null,
    capture_id: null,
    url: null,
    captured_at: null,
    created_by_username: null,
  })
  const detail = campaign([quoted, iod()])
  const withEvidence = { ...context, evidence: new Map([[quoted.id, [sealed, unsealed]]]) }

  it('is in the JSON file, without properties that depend on the user', () => {
    const { iods, ...rest } = toCampaignFile(detail, withEvidence)
    const { iods: without, ...same } = toCampaignFile(detail, context)
    expect(rest).toEqual(same)
    const { iod_id: _iod, open: _open, shared: _shared, ...first } = sealed
    expect(iods).toEqual([
      { ...without[0], evidence: [first, expect.objectContaining({ id: unsealed.id })] },
      { ...without[1], evidence: [] },
    ])
  })

  it('is a note on the indicator in STIX, with Iodine’s extension', () => {
    const { objects } = toStixBundle(detail, withEvidence)
    expectValid(objects)
    const plain = toStixBundle(detail, context).objects.map(({ id }) => id)
    const added = objects.filter(({ id }) => !plain.includes(id))
    expect(added.map(({ type }) => type)).toEqual(['extension-definition', 'note', 'note'])
    const [definition, note, other] = added
    const indicator = objects.find(({ name, type }) => type === 'indicator' && name === quoted.value)
    expect(note).toMatchObject({
      content: sealed.exact,
      authors: ['ann'],
      object_refs: [indicator?.id],
      external_references: [{ url: sealed.url }],
      extensions: {
        [definition?.id ?? '']: {
          extension_type: 'property-extension',
          evidence: { kind: 'capture', start: 13, seal: sealed.seal },
        },
      },
    })
    expect(other).toMatchObject({ authors: ['Unknown'] })
    expect(JSON.stringify(other)).not.toContain('null')
    const grouping = objects.find(({ type }) => type === 'grouping')
    expect(grouping?.object_refs).toContain(note?.id)
  })

  it('is an annotation of the attribute in MISP', () => {
    const { Event } = toMispEvent(detail, withEvidence)
    expectValidMisp(Event)
    const attribute = Event.Attribute.find(({ value }) => value === quoted.value)
    const valuesOf = (n: number) =>
      Event.Object[n]?.Attribute.map(({ object_relation, value }) => [object_relation, value])
    expect(valuesOf(0)).toEqual([
      ['text', sealed.exact],
      ['type', 'Annotation'],
      ['ref', sealed.url],
      ['creation-date', sealed.captured_at],
    ])
    expect(valuesOf(1)).toEqual([
      ['text', unsealed.exact],
      ['type', 'Annotation'],
    ])
    for (const { ObjectReference } of Event.Object)
      expect(ObjectReference).toMatchObject([{ referenced_uuid: attribute?.uuid }])
    expect(Event.Object[0]?.comment).toContain(sealed.seal?.manifest_hash)
    expect(toMispEvent(detail, withEvidence)).toEqual({ Event })
  })

  test.each(['json', 'stix'] as const)('is imported unchanged from %s, as quotes', format => {
    fc.assert(
      fc.property(anyCampaignWithEvidence, ({ detail: given, evidence }) => {
        const { text } = exportCampaign(given, format, { ...context, evidence })
        const entries = readIods(text)
        expect(entries.map(entry => entry.iod)).toEqual(given.iods.map(inputOf))
        entries.forEach((entry, n) => {
          const of = evidence.get(given.iods[n]?.id ?? '')
          expect(entry.iod && entry.evidence).toEqual(of && { quotes: of.map(quoteOf), refused: 0 })
        })
      }),
      propertyRuns(100),
    )
  })

  const quoteOf = ({
    role,
    pointer,
    start,
    end,
    exact,
    prefix,
    suffix,
    url,
    captured_at,
  }: Evidence | Record<string, unknown>) => ({
    role,
    pointer,
    start,
    end,
    exact,
    prefix,
    suffix,
    url,
    captured_at,
  })
  const quotesIn = (evidence: unknown) => {
    const [entry] = readIods(JSON.stringify({ iods: [{ ...quoted, evidence }] }))
    return entry?.iod && entry.evidence
  }

  test.each<[object]>([
    [{ start: -1 }],
    [{ start: 1.5 }],
    [{ start: '13' }],
    [{ end: 14 }],
    [{ exact: '' }],
    [{ exact: 7 }],
    [{ exact: 'x'.repeat(10_001), end: 13 + 10_001 }],
    [{ exact: 'a\0', end: 15 }],
    [{ exact: '\ud83d', end: 14 }],
    [{ role: 'cookie' }],
    [{ pointer: `/${'x'.repeat(500)}` }],
    [{ prefix: 'x'.repeat(65) }],
    [{ suffix: {} }],
    [{ url: 'javascript:alert(1)' }],
    [{ captured_at: 'yesterday' }],
    [{ captured_at: '2026-13-20T10:00:00Z' }],
  ])('is rejected and counted if it violates a rule of the API (%#)', fields => {
    expect(quotesIn([sealed, { ...sealed, ...fields }, null])).toEqual({
      quotes: [quoteOf(sealed)],
      refused: 2,
    })
  })

  it('of a file is valid for the API, without duplicates and within the limit of an IOD', () => {
    const many = Array.from({ length: 150 }, (_, n) => ({
      ...sealed,
      start: n,
      end: n + sealed.exact.length,
    }))
    const { quotes, refused } = quotesIn([...many, sealed]) ?? { quotes: [], refused: 0 }
    expect([quotes.length, refused]).toEqual([LIMITS.iodEvidenceMax, 51])
    for (const quote of quotes) expect(importedQuote.parse(quote)).toEqual(quote)
    expect(quotesIn([sealed, sealed, sealed])?.quotes).toHaveLength(1)
    for (const nothing of [undefined, null, {}, 'text', []]) expect(quotesIn(nothing)).toBeUndefined()
  })
})

test('files without evidence do not mention evidence', () => {
  fc.assert(
    fc.property(anyCampaignWithEvidence, ({ detail, evidence }) => {
      const none = new Map([...evidence].map(([id]) => [id, []]))
      for (const format of EXPORT_FORMATS) {
        const { text } = exportCampaign(detail, format, context)
        expect(text).not.toContain('evidence')
        const changed = exportCampaign(detail, format, { ...context, evidence: none }).text
        if (format === 'csv' || format === 'misp') expect(changed).toBe(text)
      }
    }),
    propertyRuns(20),
  )
})

describe('the CSV file', () => {
  it('escapes formulas, and quotes where necessary', () => {
    const values = ['=1+1', '@x', '＝1', '\n+1', "'=1", "it's", 'a,"b"\r\nc']
    const { text } = exportCampaign(campaign(values.map(value => iod({ value }))), 'csv', context)
    expect(text.startsWith('\uFEFFid,value,category,description,source_type,source,')).toBe(true)
    for (const cell of [`,'=1+1,`, `,'@x,`, `,'＝1,`, `,"'\n'+1",`, `,''=1,`, ",it's,", ',"a,""b""\r\nc",'])
      expect(text).toContain(cell)
  })

  it('has no formula in any dialect, and its cells are restored by the import', () => {
    const trap = fc
      .array(
        fc.oneof(
          fc.constantFrom('=', '+', '-', '@', '＝', '＋', '－', '＠', "=cmd|' /C calc'!A0"),
          fc.constantFrom(
            ',',
            ';',
            '\t',
            '|',
            '\r\n',
            '\n',
            '\v',
            '"',
            "'",
            ' ',
            '\u00a0',
            '\u0001',
            '\u200b',
            '\uFEFF',
          ),
          fc.constantFrom('a', '1', 'ж', 'ع', '🟡'),
        ),
        { maxLength: 12 },
      )
      .map(parts => parts.join(''))
    fc.assert(
      fc.property(fc.array(trap, { minLength: 1, maxLength: 3 }), cells => {
        for (const cell of cells) expect(unescapeFormula(escapeFormula(cell))).toBe(cell)
        const file = writeCsv(['a'], [cells])
        // Readers with other separators, with and without quotes.
        for (const separators of [/[,;\t|\r\n\v]/, /[;\r\n]/, /[\t\r\n]/, /[,\r\n]/])
          for (const cell of file.split(separators))
            expect(cell.replace(/^["\s\p{Cc}\p{Cf}]+/u, '')).not.toMatch(/^[=+\-@＝＋－＠]/)
        const [row] = Papa.parse<string[]>(file.slice(1), { delimiter: ',', newline: '\r\n' }).data.slice(1)
        expect(row?.map(unescapeFormula)).toEqual(cells)
      }),
      propertyRuns(1_000),
    )
    expect(escapeFormula("nice;=cmd|' /C calc'!A0;x")).toBe("nice;'=cmd|' /C calc'!A0;x")
    expect(escapeFormula('A-B, a=b (+1) 5 - 3')).toBe('A-B, a=b (+1) 5 - 3')
  })

  it('is read in the formats of spreadsheets: with byte order marks, in UTF-16, with semicolons', () => {
    const text = 'value;category;description\r\nЖёлтый;TITLE;عربي 🟡\r\n'
    const utf16le = Buffer.from(`\uFEFF${text}`, 'utf16le')
    const files = [
      Buffer.from(text),
      Buffer.from(`\uFEFF\uFEFF${text}`),
      utf16le,
      Buffer.from(utf16le).swap16(),
    ]
    for (const file of files)
      expect(readBytes(file)).toMatchObject([{ iod: { value: 'Жёлтый', description: 'عربي 🟡' } }])
  })

  it('is read line by line, with a reason for rejected lines', () => {
    const text = [
      'Value;Category;Description',
      'example.org;domain;Found',
      '"two\nlines";SENTENCE;',
      '',
      'x;NONSENSE;',
      ';URL;',
      'EXAMPLE.org ;DOMAIN;again',
    ].join('\n')
    expect(readIods(text)).toEqual([
      { place: 'Line 2', iod: expect.objectContaining({ value: 'example.org', category: 'DOMAIN' }) },
      { place: 'Line 3', iod: expect.objectContaining({ value: 'two\nlines', source_type: 'MANUAL' }) },
      { place: 'Line 6', value: 'x', reason: 'Unknown category NONSENSE' },
      { place: 'Line 7', value: '', reason: 'The value is missing' },
      { place: 'Line 8', value: 'EXAMPLE.org ', reason: 'Repeats line 2' },
    ])
  })
})

describe('reading', () => {
  test.each([
    ['an empty file', ''],
    ['a CSV without the columns', 'name,kind\na,b'],
    ['broken JSON', '{"iods": ['],
    ['other JSON', '{"other": {}}'],
  ])('rejects %s', (_, text) => {
    expect(() => readIods(text)).toThrow(UnreadableFile)
  })

  test.each([
    [{ category: 'URL' }, 'The value is missing'],
    [{ value: 'x' }, 'The category is missing'],
    [{ value: 'x'.repeat(10_001), category: 'URL' }, 'Value and description have at most 10000 characters'],
    [
      { value: 'x', category: 'URL', source: 'javascript:alert(1)' },
      'The source is neither a web URL nor a path',
    ],
    [{ value: 'x', category: 'URL', source_type: 'FAX' }, 'Unknown source type'],
    [{ value: 'x\0', category: 'URL' }, 'The text contains characters that can’t be stored'],
  ])('rejects an invalid entry with a reason (%#)', (entry, reason) => {
    expect(readIods(JSON.stringify({ iods: [entry] }))).toEqual([
      expect.objectContaining({ place: 'IOD 1', reason }),
    ])
  })
})

/** Returns an IOD's input fields, without its author and its creation. */
const inputOf = (created: Iod) => Object.fromEntries(FIELD_NAMES.map(name => [name, created[name]]))

test.each(['json', 'csv'] as const)('IODs without a campaign are exported and imported as %s', format => {
  fc.assert(
    fc.property(anyCampaign, ({ iods }) => {
      const { name, text } = exportIods(iods, format, context)
      expect(name).toBe(`iods_${context.now.toISOString().slice(0, 10)}.${format}`)
      if (iods.length === 0 && format === 'csv') return
      expect(readIods(text).map(entry => entry.iod)).toEqual(iods.map(inputOf))
    }),
    propertyRuns(50),
  )
})

test.each(['json', 'stix', 'csv'] as const)('export and import as %s preserve the IODs', format => {
  fc.assert(
    fc.property(anyCampaign, detail => {
      const { text } = exportCampaign(detail, format, context)
      if (detail.iods.length === 0 && format === 'csv') return
      expect(readIods(text).map(entry => entry.iod)).toEqual(detail.iods.map(inputOf))
    }),
    propertyRuns(200),
  )
})

test('every format contains every IOD, and STIX and MISP are valid', () => {
  fc.assert(
    fc.property(anyCampaignWithEvidence, fc.boolean(), ({ detail, evidence }, hasEvidence) => {
      const of = { ...context, ...(hasEvidence && { evidence }) }
      const files = Object.fromEntries(
        EXPORT_FORMATS.map(format => [format, exportCampaign(detail, format, of).text]),
      )
      const { objects } = JSON.parse(files.stix ?? '') as { objects: StixObject[] }
      expectValid(objects)
      expect(objects.filter(({ type }) => type === 'indicator')).toHaveLength(detail.iods.length)
      const { Event } = JSON.parse(files.misp ?? '') as MispEvent
      expectValidMisp(Event)
      expect(Event.Attribute).toHaveLength(detail.iods.length)
    }),
    propertyRuns(40),
  )
})

/** Fields of MISP events, attributes and analyst data, with their types, from MISP's documentation. */
const MISP_FIELDS = {
  event: 'uuid info date threat_level_id analysis distribution published timestamp Tag Attribute Object',
  attribute: 'uuid type category value to_ids comment timestamp distribution first_seen Tag Opinion Note',
  opinion: 'uuid object_uuid object_type authors created modified distribution opinion comment',
  note: 'uuid object_uuid object_type authors created modified distribution note',
  object:
    'uuid name meta-category template_uuid template_version timestamp distribution comment Attribute ObjectReference',
  objectAttribute: 'uuid object_relation type category value to_ids comment timestamp distribution',
  reference: 'uuid object_uuid referenced_uuid relationship_type comment timestamp',
}
/** Relations of MISP's object template `annotation` in use, with their types and categories. */
const ANNOTATION: Record<string, [type: string, category: string]> = {
  text: ['text', 'Other'],
  type: ['text', 'Other'],
  ref: ['link', 'External analysis'],
  'creation-date': ['datetime', 'Other'],
}
/** MISP types allowed in each category, for those in use. */
const MISP_TYPES: Record<string, string[]> = {
  'Network activity': ['url', 'domain', 'ip-dst'],
  'External analysis': ['md5', 'sha1', 'sha256'],
  'Payload delivery': ['sha512'],
  Person: ['full-name'],
  'Social network': ['text'],
  Other: ['text'],
}
const SECONDS = /^\d{10}$/
const PLAIN_TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

function expectValidMisp(Event: MispEvent['Event']) {
  const expectFields = (object: object, fields: string) => {
    for (const field of Object.keys(object)) expect(fields.split(' ')).toContain(field)
  }
  const uuids: string[] = []
  expectFields(Event, MISP_FIELDS.event)
  expect(Event).toMatchObject({
    uuid: expect.stringMatching(UUID),
    date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    threat_level_id: expect.stringMatching(/^[1-4]$/),
    analysis: expect.stringMatching(/^[0-2]$/),
    distribution: expect.stringMatching(/^[0-4]$/),
    published: false,
    timestamp: expect.stringMatching(SECONDS),
  })
  for (const { Opinion = [], Note = [], ...attribute } of Event.Attribute) {
    expectFields(attribute, MISP_FIELDS.attribute)
    expect(MISP_TYPES[attribute.category]).toContain(attribute.type)
    expect(attribute).toMatchObject({
      uuid: expect.stringMatching(UUID),
      to_ids: expect.any(Boolean),
      timestamp: expect.stringMatching(SECONDS),
      distribution: '5',
      first_seen: expect.stringMatching(TIME),
    })
    for (const tag of attribute.Tag) expect(tag.name).toMatch(/^[a-z-]+:[a-z-]+="\w+"$/)
    for (const [said, fields] of [
      [Opinion, MISP_FIELDS.opinion],
      [Note, MISP_FIELDS.note],
    ] as const)
      for (const each of said as Record<string, string>[]) {
        expectFields(each, fields)
        expect(each).toMatchObject({ object_uuid: attribute.uuid, object_type: 'Attribute' })
        expect([each.created, each.modified].every(time => PLAIN_TIME.test(time ?? ''))).toBe(true)
        if ('opinion' in each) expect(Number(each.opinion) >= 0 && Number(each.opinion) <= 100).toBe(true)
        uuids.push(each.uuid ?? '')
      }
    uuids.push(attribute.uuid)
  }
  for (const { Attribute, ObjectReference, ...object } of Event.Object) {
    expectFields({ ...object, Attribute, ObjectReference }, MISP_FIELDS.object)
    expect(object).toMatchObject({ name: 'annotation', timestamp: expect.stringMatching(SECONDS) })
    for (const each of Attribute) {
      expectFields(each, MISP_FIELDS.objectAttribute)
      expect(ANNOTATION[each.object_relation]).toEqual([each.type, each.category])
      expect(each.value).not.toBe('')
    }
    for (const each of ObjectReference) {
      expectFields(each, MISP_FIELDS.reference)
      expect(each.object_uuid).toBe(object.uuid)
      expect(uuids).toContain(each.referenced_uuid)
    }
    uuids.push(object.uuid, ...[...Attribute, ...ObjectReference].map(({ uuid }) => uuid))
  }
  expect(new Set(uuids).size).toBe(uuids.length)
}

/** Folder of the published STIX 2.1 JSON schemas; optional. */
const PUBLISHED = process.env.STIX_SCHEMAS ?? ''

test.runIf(PUBLISHED)(
  'STIX passes the published schemas',
  async () => {
    const { Ajv2020 } = await import('ajv/dist/2020.js')
    const { default: formats } = await import('ajv-formats')
    const ajv = new Ajv2020({
      strict: false,
      allErrors: true,
      unicodeRegExp: false,
      formats: { 'idn-hostname': true },
    })
    formats.default(ajv, ['uri', 'ipv4', 'ipv6', 'date-time'])
    const idByType = new Map<string, string>()
    for (const file of readdirSync(PUBLISHED, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.json')) continue
      const schema = JSON.parse(readFileSync(`${PUBLISHED}/${file}`, 'utf8'))
      ajv.addSchema(schema)
      idByType.set(schema.title, schema.$id)
    }
    const techniques = usedTechniques([{ id: 'T0002', at: '2026-11-20T12:00:00.000Z' }])
    const seen = new Set<string>()
    const check = (type: string, object: object) => {
      // Types outside the standard are checked against the schema common to all objects.
      const title = { narrative: 'core', text: 'cyber-observable-core' }[type] ?? type
      const valid = ajv.validate(idByType.get(title) ?? '', object)
      expect(valid ? [] : ajv.errors).toEqual([])
      seen.add(type)
    }
    fc.assert(
      fc.property(anyCampaignWithEvidence, ({ detail, evidence }) => {
        const { objects, ...bundle } = toStixBundle(detail, { ...context, evidence, techniques })
        // The bundle's schema lacks groupings, notes and opinions: check them separately.
        check('bundle', bundle)
        for (const object of objects) check(object.type, object)
      }),
      propertyRuns(1_000),
    )
    expect([...seen].sort()).toEqual(['bundle', ...Object.keys(REQUIRED)].sort())
  },
  600_000,
)

test('two IODs have the same key if the product considers them duplicates', () => {
  expect(iodKey({ category: 'URL', value: ' A ' })).toBe(iodKey({ category: 'URL', value: 'a' }))
  expect(iodKey({ category: 'URL', value: 'a' })).not.toBe(iodKey({ category: 'DOMAIN', value: 'a' }))
})
