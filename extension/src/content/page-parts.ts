import { LIMITS, parseUrl, type TelegramRecord, type TiktokRecord } from '@iodine/contracts'
import { captureDom, DOM_MAX, projectText } from '@iodine/evidence/dom'
import { Failure, sentenceOf } from '../shared/failures'
import type { Collected, PageParts } from '../shared/messages'
import { allIn, articlePart, type Captured, elementOf, type PageState, sourceOf } from '../sources'
import { chooseRecords, completed, pageShown } from './capture'
import { PICTURE_CHARACTERS_MAX, readPictures, retryUnreadable } from './pictures'

/** Maximum elements whose layout is read: more would block the page. */
const ELEMENTS_MAX = 40_000
const PICTURES_MAX = 50
/** Maximum characters of HTML and text in one message: browsers limit messages to 64 MiB, including pictures. */
const CHARACTERS_MAX = 10_000_000
/** Maximum time on the page's main thread before `collect` yields. */
const SLICE_MS = 30

/** Returns the main part of a page, else its only article, else its body. */
export const mainPart = (of: Document): Element => articlePart(of) ?? of.body

const videoOf = (link: Element): string | undefined =>
  /\/(?:video|photo)\/(\d+)/.exec(
    parseUrl(link.getAttribute('href') ?? '', link.baseURI)?.pathname ?? '',
  )?.[1]

/**
 * Returns the parts of a list that show one short video each, by video id: the largest element around its first link
 * that links to no other video. Takes one pass over the page.
 */
const partsOfVideos = (of: Document): Map<string, Element> => {
  /** The only video that an element links to; null for several. */
  const only = new Map<Element, string | null>()
  const parts = new Map<string, Element>()
  for (const link of of.querySelectorAll('a[href]')) {
    const id = videoOf(link)
    if (id === undefined) continue
    if (!parts.has(id)) parts.set(id, link)
    for (let at: Element | null = link; at && at !== of.body; at = at.parentElement) {
      const known = only.get(at)
      // The same then holds for all ancestors.
      if (known === null || known === id) break
      only.set(at, known === undefined ? id : null)
    }
  }
  for (const [id, link] of parts) {
    let part = link
    for (let at = link.parentElement; at && only.get(at) === id; at = at.parentElement) part = at
    parts.set(id, part)
  }
  return parts
}

/** Returns a function that finds the part of a page that shows a record. */
const createPartOf = ({ document: of, url }: PageState): ((captured: Captured) => Element | undefined) => {
  let videos: Map<string, Element> | undefined
  return ({ source, record }) => {
    if (source === 'telegram') return elementOf(record as TelegramRecord)
    const id = source === 'tiktok' ? (record as TiktokRecord).main.video_id : ''
    if (id === '' || parseUrl(url)?.pathname.includes(id)) return mainPart(of)
    videos ??= partsOfVideos(of)
    return videos.get(id)
  }
}

/** Reads the HTML and text of a part of the page. @throws Failure if it is too long */
export const readPart = (part: Element): Pick<PageParts, 'url' | 'dom' | 'text'> => {
  if (allIn(part, '*').length > ELEMENTS_MAX) throw new Failure('tooLong')
  // UTF-8 decoders strip a byte order mark, which would shift the offsets of quotes.
  const text = projectText(part).replace(/^\ufeff+/, '')
  const dom = captureDom(part)
  // Both functions truncate at the limit, or one code unit before it.
  if (text.length >= LIMITS.captureTextMax - 1 || dom.length >= DOM_MAX) throw new Failure('tooLong')
  return { url: location.href, dom, text }
}

/** Returns the URLs of the loaded pictures in a part of the page. */
export const loadedPictures = (part: Element): string[] => {
  const drawn = (allIn(part, 'img') as HTMLImageElement[])
    .filter(({ complete, naturalWidth }) => complete && naturalWidth > 0)
    .map(({ currentSrc, src }) => currentSrc || src)
  const behind = (allIn(part, 'a[style*="background-image"]') as HTMLElement[]).flatMap(
    ({ style }) => /^url\("(.*)"\)$/.exec(style.backgroundImage)?.[1] ?? [],
  )
  const addresses = [...behind, ...drawn].map(address => parseUrl(address, part.baseURI))
  return [
    ...new Set(addresses.flatMap(url => (url && /^https?:$/.test(url.protocol) ? url.href : []))),
  ].slice(0, PICTURES_MAX)
}

const nextTask = () => new Promise(resolve => setTimeout(resolve))

/**
 * Reads the requested records, each with the part of the page that shows it, or the reason why that can't be captured.
 * The page of a removed post is not captured.
 */
export const collect = async (what: 'own' | 'all', sealing: boolean): Promise<Collected[]> => {
  retryUnreadable()
  await pageShown()
  const { page, chosen } = chooseRecords(what)
  const partOf = createPartOf(page)
  const parts = new Map<Captured, { read: Omit<PageParts, 'pictures' | 'unread'>; pictures: string[] }>()
  const problems = new Map<Captured, string>()
  let characters = 0
  let begun = performance.now()
  for (const captured of sealing ? chosen.filter(({ record }) => !record.context?.removed) : []) {
    try {
      const part = partOf(captured)
      if (!part) throw new Failure('notShown')
      const read = readPart(part)
      characters += read.dom.length + read.text.length
      if (characters > CHARACTERS_MAX) throw new Failure('tooLong')
      parts.set(captured, { read, pictures: loadedPictures(part) })
    } catch (error) {
      problems.set(captured, error instanceof Failure ? error.message : sentenceOf('unreadablePart'))
    }
    if (performance.now() - begun < SLICE_MS) continue
    await nextTask()
    begun = performance.now()
  }
  const budget = { left: PICTURE_CHARACTERS_MAX }
  return Promise.all(
    chosen.map(async (captured): Promise<Collected> => {
      const found = parts.get(captured)
      const pictures = found && (await readPictures(found.pictures, budget))
      const whole = await completed(captured)
      if (found && pictures) return { captured: whole, page: { ...found.read, ...pictures } }
      const problem = problems.get(captured)
      return problem === undefined ? { captured: whole } : { captured: whole, page: { problem } }
    }),
  )
}

/** Returns the part of a page around a node: the post, else the main part, else the body. */
export const partAround = (node: Node): Element => {
  const element = node instanceof Element ? node : node.parentElement
  const post =
    sourceOf(location.href) === 'telegram' ? element?.closest('.tgme_widget_message[data-post]') : undefined
  const main = mainPart(document)
  return post ?? (main.contains(node) ? main : document.body)
}
