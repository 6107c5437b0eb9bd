import { naturalKey, RECORD_SCHEMAS, type RecordOf } from '@iodine/contracts'
import { relationOf } from '@iodine/evidence'
import { describe, expect, it } from 'vitest'
import { contentOf, demoAccounts, demoIods, demoPages, demoRecords, quotesOf } from '../src/index.js'

const pages = demoPages.map(page => {
  const content = contentOf(page)
  return { ...page, content, text: content.text }
})

describe('demoPages', () => {
  it('show records that their accounts collect', () => {
    expect(pages.length).toBeGreaterThan(10)
    for (const { source, record, by } of pages) {
      const { collected } = demoAccounts[by] ?? { collected: 0 }
      const own = demoRecords[source].slice(0, Math.round(demoRecords[source].length * collected))
      expect(own).toContain(record)
    }
    expect(new Set(pages.map(({ url }) => url)).size).toBe(pages.length)
    for (const { url } of pages) expect(new URL(url).hostname).toMatch(/\.example$/)
  })

  it('contain the text of their records, without excluded content', () => {
    for (const { source, record, content } of pages) {
      const { text, dom } = content
      const value =
        source === 'tiktok'
          ? (record as RecordOf['tiktok']).main.description
          : source === 'telegram'
            ? (record as RecordOf['telegram']).telegram.post.description
            : (record as RecordOf['blog']).metadata.title
      for (const line of (value ?? '').split('\n')) expect(text).toContain(line.trim())
      expect(text).not.toMatch(/track\(\)|^Reply$/m)
      expect(dom).not.toMatch(/<(script|input|button|img|iframe)\b/)
    }
  })

  it('contain a valid record with the natural key by which the service finds it', () => {
    for (const { source, url, content } of pages) {
      const record = JSON.parse(content.record)
      expect(RECORD_SCHEMAS[source].safeParse(record).error).toBeUndefined()
      const key = (naturalKey[source] as (record: unknown) => string)(record)
      expect(source === 'tiktok' ? url.split('/').at(-1) : url).toBe(key)
    }
  })

  it('contain the values of many IODs as quotes', () => {
    const quoted = demoIods.filter(({ value }) => quotesOf(pages, value).length > 0)
    expect(quoted.length).toBeGreaterThan(25)
    for (const { value } of quoted)
      for (const { capture, start, end, exact } of quotesOf(pages, value)) {
        expect(capture.text.slice(start, end)).toBe(exact)
        expect(relationOf(exact, value)).not.toBeNull()
      }
  })
})
