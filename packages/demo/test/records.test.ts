import { naturalKey, RECORD_SCHEMAS, type RecordOf, SOURCES, type Source } from '@iodine/contracts'
import { describe, expect, it } from 'vitest'
import { demoRecords } from '../src/index.js'

const strings = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : value && typeof value === 'object'
      ? Object.entries(value).flatMap(([key, each]) => [key, ...strings(each)])
      : []
const all = SOURCES.flatMap(source => demoRecords[source] as unknown[])
const texts = all.flatMap(strings)

describe('the demo records', () => {
  it.each(SOURCES)('are valid and have distinct natural keys: %s', <S extends Source>(source: S) => {
    const records = demoRecords[source]
    expect(records.length).toBeGreaterThanOrEqual(10)
    for (const record of records) expect(RECORD_SCHEMAS[source].safeParse(record).error).toBeUndefined()
    const key = naturalKey[source] as (record: RecordOf[S]) => string
    expect(new Set(records.map(key)).size).toBe(records.length)
  })

  it('include edge cases of collected texts', () => {
    expect(all.length).toBeGreaterThanOrEqual(30)
    const some = (test: (text: string) => boolean) => expect(texts.some(test))
    some(text => text.length > 5_000).toBe(true)
    some(text => text === '').toBe(true)
    some(text => text.split('\n').length === 50).toBe(true)
    some(text => /\p{Emoji_Presentation}/u.test(text)).toBe(true)
    some(text => /\p{Script=Arabic}/u.test(text)).toBe(true)
    some(text => /\p{Script=Hebrew}/u.test(text)).toBe(true)
    some(text => /<script>/.test(text)).toBe(true)
    some(text => /^javascript:/.test(text)).toBe(true)
  })

  it('contain only URLs of the reserved domain .example', () => {
    const hosts = texts.flatMap(text => [...text.matchAll(/https?:\/\/([^/\s?"]+)/g)].map(match => match[1]))
    expect(hosts.filter(host => !host?.endsWith('.example'))).toEqual([])
  })
})
