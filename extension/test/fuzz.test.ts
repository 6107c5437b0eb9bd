import { exactTime, parseUrl, RECORD_SCHEMAS } from '@iodine/contracts'
import { propertyRuns } from '@iodine/test-kit/runs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { allIn, readTiktokList } from '../src/sources'
import { jsonOf } from '../src/sources/read'
import { pagesOf, parsePage, readOrRefused, SOURCES, TIME, tiktokLists } from './fixtures'

/** One change of a page's text. `at` and `length` are fractions of its length. */
const mutation = fc.record({
  kind: fc.constantFrom('cut', 'insert', 'repeat', 'move', 'junk value', 'rename'),
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  length: fc.integer({ min: 1, max: 80 }),
  text: fc.constantFrom(
    '<',
    '>',
    '"',
    "'",
    '{',
    '}',
    '[',
    ']',
    ',',
    '\\',
    '\0',
    '\ud800',
    'é',
    '<script>',
    '</div>',
    '&#0;',
    '\u202e',
    ' ',
  ),
  value: fc.constantFrom(
    'null',
    '{}',
    '[]',
    '[[]]',
    '-1',
    '1e400',
    '"x"',
    '""',
    'true',
    '{"@id":"#org"}',
    '12345678901234567890',
    '[null,{}]',
  ),
})
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never

const mutate = (text: string, { kind, at, length, text: piece, value }: Mutation): string => {
  const start = Math.floor(at * text.length)
  const [before, inside, after] = [
    text.slice(0, start),
    text.slice(start, start + length),
    text.slice(start + length),
  ]
  if (kind === 'cut') return before + after
  if (kind === 'insert') return before + piece + inside + after
  if (kind === 'repeat') return before + inside + inside + after
  if (kind === 'move') return before + after + inside
  if (kind === 'rename') return before + (inside + after).replace(/[a-z]{3,}/, 'renamed')
  return before + (inside + after).replace(/:\s*("[^"]*"|\d+|\[[^[\]]*\])/, `: ${value}`)
}

/** Returns all text of a page, in every form in which a reader may extract it. */
const evidenceOf = (document: Document, url: string): string => {
  const texts: string[] = [url, decodeURIComponent(url)]
  const own = document.querySelector('base[href]')?.getAttribute('href') ?? ''
  const base = parseUrl(own, url)
  const bases = base ? [base.href] : []
  const addAddress = (text: string) => {
    for (const base of [url, `https://t.me/`, ...bases]) {
      const found = parseUrl(text.trim(), base)
      if (found) texts.push(found.href)
    }
  }
  const add = (text: string) => {
    texts.push(text, text.trim(), exactTime(text) ?? '')
    for (const part of [text, ...text.split(/[\s,]+/)]) addAddress(part)
  }
  const addJson = (value: unknown) => {
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) addJson(inner)
    else add(String(value))
  }
  const elements = (of: Document): Element[] =>
    allIn(of, '*').flatMap(element =>
      element.localName === 'noscript' ? [element, ...elements(parsePage(element.textContent))] : [element],
    )
  for (const element of elements(document)) {
    add(element.textContent ?? '')
    for (const attribute of element.attributes) {
      add(attribute.value)
      for (const [, , address = ''] of attribute.value.matchAll(/url\(\s*(['"]?)(.*?)\1\s*\)/gi)) add(address)
    }
    if (element.tagName !== 'SCRIPT') continue
    addJson(jsonOf(element))
  }
  return texts.join('\n')
}

const ours = new Set<unknown>([TIME, 'tiktok', 'telegram', 'blog', 'image', 'document', true])
const leavesOf = (value: unknown): (string | number)[] =>
  typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(leavesOf)
    : [value as string | number]

/** Splits a text into words: an article's text is projected, so its white space differs from the document's. */
const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? []

const unseen = (
  { context, ...record }: { context?: { text?: string | null | undefined } | undefined },
  evidence: string,
): unknown[] => {
  const { text, ...others } = context ?? {}
  return [
    ...wordsOf(text ?? '').filter(word => !evidence.includes(word)),
    ...unseenLeaves([record, others], evidence),
  ]
}

const unseenLeaves = (record: unknown, evidence: string): unknown[] =>
  leavesOf(record).filter(value => {
    if (ours.has(value)) return false
    // Line breaks of a message and separators of authors are elements of the page.
    return !String(value)
      .split(/\n|, /)
      .every(line => evidence.includes(line))
  })

const mutations = fc.array(mutation, { minLength: 1, maxLength: 12 })

it.each(SOURCES)('reads a mutated %s page without throwing, and returns only its content', source => {
  const pages = pagesOf(source)
  fc.assert(
    fc.property(fc.constantFrom(...pages), mutations, (page, changes) => {
      const document = parsePage(changes.reduce(mutate, page.html))
      const { all, own } = readOrRefused({ document, url: page.url, time: TIME })
      const evidence = evidenceOf(document, page.url)
      for (const record of own ? [...all, own] : all) {
        expect(RECORD_SCHEMAS[source].safeParse(record).error).toBeUndefined()
        expect(unseen(record, evidence)).toEqual([])
      }
    }),
    propertyRuns(50),
  )
})

it('reads a mutated list without throwing, and returns only its content', () => {
  fc.assert(
    fc.property(fc.constantFrom(...tiktokLists()), mutations, (list, changes) => {
      const text = changes.reduce(mutate, JSON.stringify(list.body))
      let body: unknown
      try {
        body = JSON.parse(text)
      } catch {
        body = text
      }
      const evidence = leavesOf(body).map(String).join('\n')
      for (const record of readTiktokList(body, TIME)) {
        expect(RECORD_SCHEMAS.tiktok.safeParse(record).error).toBeUndefined()
        expect(unseen(record, evidence)).toEqual([])
      }
    }),
    propertyRuns(200),
  )
})

it.each(SOURCES)('reads any JSON and markup as a %s page without throwing', source => {
  const [page] = pagesOf(source)
  fc.assert(
    fc.property(fc.json(), fc.string({ unit: 'binary' }), (json, markup) => {
      const scripts = [
        'id="SIGI_STATE"',
        'id="__UNIVERSAL_DATA_FOR_REHYDRATION__"',
        'type="application/ld+json"',
      ]
      const html = scripts.map(attribute => `<script ${attribute}>${json}</script>`).join('') + markup
      for (const record of readOrRefused({ document: parsePage(html), url: page!.url, time: TIME }).all)
        expect(RECORD_SCHEMAS[source].safeParse(record).error).toBeUndefined()
    }),
    propertyRuns(60),
  )
})
