import { LIMITS, type TelegramRecord, type TiktokRecord } from '@iodine/contracts'
import { captureDom, DOM_MAX, projectText } from '@iodine/evidence'
import { Failure, sentenceOf } from '../shared/failures'
import type { Collected, PageParts } from '../shared/messages'
import {
  articlePart,
  type Captured,
  type PageState,
  readTelegramPost,
  sourceOf,
  telegramPosts,
  urlOf,
} from '../sources'
import { chooseRecords, completed } from './capture'
import { PICTURE_CHARACTERS_MAX, readPictures } from './pictures'

/** Elements whose layout is read in a moment; a page with more would stand still. */
const ELEMENTS_MAX = 40_000
const PICTURES_MAX = 50
/** Characters of HTML and text in one message: browsers refuse more than 64 MiB, with pictures. */
const CHARACTERS_MAX = 10_000_000

/** The part of a page that is about one thing: its main part, else its only article, else all of it. */
export const mainPart = (of: Document): Element => articlePart(of) ?? of.body

/** The part of a list that shows one short video: all around its link, up to what shows others, too. */
const partOfVideo = (of: Document, id: string): Element | undefined => {
  const idOf = (link: Element): string | undefined =>
    /\/(?:video|photo)\/(\d+)/.exec(urlOf(link.getAttribute('href') ?? '', of.baseURI)?.pathname ?? '')?.[1]
  const linked = (element: Element): Set<string | undefined> =>
    new Set([...element.querySelectorAll('a[href]')].map(idOf).filter(found => found !== undefined))
  let part = [...of.querySelectorAll('a[href]')].find(link => idOf(link) === id)
  for (let parent = part?.parentElement; parent && parent !== of.body; parent = parent.parentElement) {
    if (linked(parent).size > 1) break
    part = parent
  }
  return part
}

/** The part of the page that shows a record. */
export const partOf = ({ source, record }: Captured, page: PageState): Element | undefined => {
  if (source === 'telegram') {
    const { url } = (record as TelegramRecord).telegram.post
    return telegramPosts(page.document).find(post => readTelegramPost(post, page)?.telegram.post.url === url)
  }
  const id = source === 'tiktok' ? (record as TiktokRecord).main.video_id : ''
  return id === '' || urlOf(page.url)?.pathname.includes(id)
    ? mainPart(page.document)
    : partOfVideo(page.document, id)
}

/** HTML and text of a part of the page, whole. Throws a `Failure` if it is too long for that. */
export const readPart = (part: Element): Pick<PageParts, 'url' | 'dom' | 'text'> => {
  if (part.getElementsByTagName('*').length > ELEMENTS_MAX) throw new Failure('tooLong')
  // A reader of UTF-8 takes a byte order mark away, and with it the offsets of quotes.
  const text = projectText(part).replace(/^\ufeff+/, '')
  const dom = captureDom(part)
  // Both end where they are too long, up to half a character before.
  if (text.length >= LIMITS.captureTextMax - 1 || dom.length >= DOM_MAX) throw new Failure('tooLong')
  return { url: location.href, dom, text }
}

/** The addresses of the pictures that the page has loaded in a part of it. */
export const loadedPictures = (part: Element): string[] => {
  const drawn = [...part.querySelectorAll('img')]
    .filter(({ complete, naturalWidth }) => complete && naturalWidth > 0)
    .map(({ currentSrc, src }) => currentSrc || src)
  const behind = [...part.querySelectorAll<HTMLElement>('a[style*="background-image"]')].flatMap(
    ({ style }) => /^url\("(.*)"\)$/.exec(style.backgroundImage)?.[1] ?? [],
  )
  const addresses = [...behind, ...drawn].map(address => urlOf(address, document.baseURI))
  return [
    ...new Set(addresses.flatMap(url => (url && /^https?:$/.test(url.protocol) ? url.href : []))),
  ].slice(0, PICTURES_MAX)
}

const nextTask = () => new Promise(resolve => setTimeout(resolve))

/**
 * The records that are asked for, each with the part of the page that shows it. A part that can't be captured says
 * why: the record is there all the same.
 */
export const collect = async (what: 'own' | 'all', sealing: boolean): Promise<Collected[]> => {
  const { page, chosen } = chooseRecords(what)
  const parts = new Map<Captured, { read: Omit<PageParts, 'pictures' | 'unread'>; pictures: string[] }>()
  const problems = new Map<Captured, string>()
  let characters = 0
  for (const captured of sealing ? chosen : []) {
    try {
      const part = partOf(captured, page)
      if (!part) throw new Failure('notShown')
      const read = readPart(part)
      characters += read.dom.length + read.text.length
      if (characters > CHARACTERS_MAX) throw new Failure('tooLong')
      parts.set(captured, { read, pictures: loadedPictures(part) })
    } catch (error) {
      problems.set(captured, error instanceof Failure ? error.message : sentenceOf('unreadablePart'))
    }
    await nextTask()
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

/** The part of a page around some words: the post, or the page's main part, else all of it. */
export const partAround = (node: Node): Element => {
  const element = node instanceof Element ? node : node.parentElement
  const post =
    sourceOf(location.href) === 'telegram' ? element?.closest('.tgme_widget_message[data-post]') : undefined
  const main = mainPart(document)
  return post ?? (main.contains(node) ? main : document.body)
}
