import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Source } from '@iodine/contracts'

export const SOURCES: Source[] = ['tiktok', 'telegram', 'blog']
/** The capture time of all fixtures. */
export const TIME = '2026-11-21T10:00:00.000Z'
const folder = (source: Source) => join(import.meta.dirname, 'fixtures', source)

/** A page and the expected result of its reader. */
export interface Fixture {
  name: string
  note: string
  url: string
  html: string
  own: unknown
  all: unknown[]
}

export const pagesOf = (source: Source): Fixture[] =>
  readdirSync(folder(source))
    .filter(file => file.endsWith('.html'))
    .map(file => ({
      ...JSON.parse(readFileSync(join(folder(source), file.replace(/html$/, 'json')), 'utf8')),
      name: file.replace(/\.html$/, ''),
      html: readFileSync(join(folder(source), file), 'utf8'),
    }))

/** A response that a short-video page fetches, and the records in it. */
export const tiktokLists = (): { name: string; url: string; body: unknown; all: unknown[] }[] =>
  readdirSync(folder('tiktok'))
    .filter(file => file.endsWith('.list.json'))
    .map(file => ({ name: file, ...JSON.parse(readFileSync(join(folder('tiktok'), file), 'utf8')) }))

export const parsePage = (html: string): Document => new DOMParser().parseFromString(html, 'text/html')
