import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { COLLECTED_SOURCES, type CollectedSource, parseUrl } from '@iodine/contracts'
import { Failure } from '../src/shared/failures'
import { type Captured, type PageState, readPage } from '../src/sources'

export const SOURCES = COLLECTED_SOURCES
/** The capture time of all pages. */
export const TIME = '2026-11-21T10:00:00.000Z'
const folder = (source: CollectedSource) => join(import.meta.dirname, 'pages', source)

/** A page of the gallery and the expected result of its reader. `pages/README.md` explains the fields. */
export interface Fixture {
  name: string
  note: string
  url: string
  html: string
  own: unknown
  all: unknown[]
  /** HTML of the page's frames, by URL. */
  frames: Record<string, string>
  /** A part of the failure's sentence, for a page without a record. */
  refused?: string
}

export const pagesOf = (source: CollectedSource): Fixture[] =>
  readdirSync(folder(source))
    .filter(file => /(?<!\.frame)\.html$/.test(file))
    .map(file => {
      const read = (name: string) => readFileSync(join(folder(source), name), 'utf8')
      const { own = null, all, frame, ...expected } = JSON.parse(read(file.replace(/html$/, 'json')))
      return {
        ...expected,
        own,
        all: all ?? (own ? [own] : []),
        frames: frame ? { [frame]: read(file.replace(/html$/, 'frame.html')) } : {},
        name: file.replace(/\.html$/, ''),
        html: read(file),
      }
    })

/** Reads the responses that short-video pages fetch, each with its records. */
export const tiktokLists = (): { name: string; url: string; body: unknown; all: unknown[] }[] =>
  readdirSync(folder('tiktok'))
    .filter(file => file.endsWith('.list.json'))
    .map(file => ({ name: file, ...JSON.parse(readFileSync(join(folder('tiktok'), file), 'utf8')) }))

/**
 * Parses a page as a browser does, without layout and scripts: with open shadow roots and frames.
 * @param frames HTML of the frames, by URL
 */
export const parsePage = (html: string, url = '', frames: Record<string, string> = {}): Document => {
  const document = new DOMParser().parseFromString(html, 'text/html')
  attachShadows(document)
  // With scripting enabled, `noscript` contains text.
  for (const element of document.querySelectorAll('noscript')) element.textContent = element.innerHTML
  for (const frame of document.querySelectorAll('iframe')) {
    const source = frame.getAttribute('src') ?? ''
    const html = frames[parseUrl(source, url)?.href ?? '']
    Object.defineProperty(frame, 'contentDocument', { value: html === undefined ? null : parsePage(html) })
  }
  return document
}

/** Reads the records of a page; returns the failure's sentence if the reader rejects it. */
export const readOrRefused = (
  page: PageState,
): { own?: Captured['record'] | undefined; all: Captured['record'][]; refused?: string } => {
  try {
    return readPage(page)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { all: [], refused: error.message }
  }
}

const attachShadows = (root: ParentNode): void => {
  for (const template of root.querySelectorAll<HTMLTemplateElement>('template[shadowrootmode="open"]')) {
    const shadow = template.parentElement?.attachShadow({ mode: 'open' })
    shadow?.append(template.content)
    template.remove()
    if (shadow) attachShadows(shadow)
  }
}
