import { LIMITS, type TelegramRecord } from '@iodine/contracts'
import { contextOf, linksIn, mediaOf, timeOf } from './context'
import { addressOf, type Found, filled, type PageState, textOf, urlOf } from './read'

/** Elements of a post that quote another one. */
const NOT_OF_THE_POST =
  '.tgme_widget_message_user_photo, .tgme_widget_message_reply, .tgme_widget_message_link_preview'
const STICKERS = '.tgme_widget_message_sticker, .tgme_widget_message_tgsticker'
/** Players of videos and voices: those without a file are too large for the preview. */
const PLAYERS =
  '.tgme_widget_message_video_player, .tgme_widget_message_roundvideo_player, .tgme_widget_message_voice_player'
const FILES = ['video', 'audio']
  .flatMap(name => [`${name}[src]`, `${name}:not([src]) > source[src]:first-of-type`])
  .join(', ')
const ATTACHMENTS = [
  'a.tgme_widget_message_photo_wrap',
  FILES,
  PLAYERS,
  STICKERS,
  '.tgme_widget_message_document_title',
].join(', ')
const ATTACHMENTS_MAX = 1_000
const FRAME_MS = 5_000
/** What a post says beside its text: a poll, a place, a contact, a game. Numbers of votes change, so they are left out. */
const SAID = [
  'poll_question',
  'poll_option_text',
  'location_title',
  'location_address',
  'contact_name',
  'contact_phone',
  'game_title',
  'game_description',
]
  .map(name => `.tgme_widget_message_${name}`)
  .join(', ')

const PREVIEW_HOST = /^(?:t|telegram)\.me$|^telegram\.dog$/
const APP_HOST = /^web[a-z]?\.telegram\.org$/

export const isTelegramHost = (host: string): boolean => PREVIEW_HOST.test(host) || APP_HOST.test(host)

/** The documents of a page: its own, and those of the frames that it may read, in which `t.me/CHANNEL/ID` shows a post. */
export const documentsOf = (document: Document): Document[] => [
  document,
  ...[...document.querySelectorAll('iframe')].flatMap(frame => frame.contentDocument ?? []),
]

/** Resolves once the frames of the page's own site have loaded, or after some seconds. */
export const framesLoaded = async (document: Document): Promise<void> => {
  const siteOf = (address: string | null) => urlOf(address ?? '', document.baseURI)?.origin
  const loading = [...document.querySelectorAll('iframe[src]')].filter(frame => {
    const { contentDocument: shown } = frame as HTMLIFrameElement
    const isLoaded = shown?.readyState === 'complete' && shown.URL !== 'about:blank'
    return shown && !isLoaded && siteOf(frame.getAttribute('src')) === siteOf(document.URL)
  })
  if (loading.length === 0) return
  const loaded = loading.map(
    frame => new Promise(resolve => frame.addEventListener('load', resolve, { once: true })),
  )
  await Promise.race([Promise.all(loaded), new Promise(resolve => setTimeout(resolve, FRAME_MS))])
}

/** Whether an address is that of the platform's web app, whose pages do not say where a post is to be found. */
export const isTelegramApp = (address: string): boolean => APP_HOST.test(urlOf(address)?.hostname ?? '')

/** The public page of the channel at an address of the platform, as a person types it; undefined elsewhere. */
export const channelPage = (address: string): string | undefined => {
  const url = urlOf(address)
  if (!url || !isTelegramHost(url.hostname)) return undefined
  const name = APP_HOST.test(url.hostname)
    ? /^#@(\w+)/.exec(url.hash)
    : /^\/(?:s\/)?(\w{4,})/.exec(url.pathname)
  return `t.me/s/${name?.[1] ?? 'CHANNEL'}`
}

/** The elements of a channel's posts, in the page's order. */
export const telegramPosts = (document: Document): Element[] =>
  documentsOf(document).flatMap(each => [
    ...each.querySelectorAll('.tgme_widget_message[data-post]:not(.service_message)'),
  ])

/** The elements of the posts that were read. */
const elements = new WeakMap<TelegramRecord, Element>()

/** The element that shows a post which was read from a page. */
export const elementOf = (record: TelegramRecord): Element | undefined => elements.get(record)

/** The posts of a channel's public preview, in the page's order. */
export const readTelegramPage = (page: PageState): Found<TelegramRecord> => {
  const { document, url } = page
  const all = new Map<string, TelegramRecord>()
  for (const post of telegramPosts(document)) {
    const record = readTelegramPost(post, page)
    if (record) all.set(record.telegram.post.url, record)
  }
  // `/s/channel/12`, `/channel/12` and, in a topic of a group, `/group/3/12` are about post 12.
  const [, channel, number] = /^\/(?:s\/)?(\w+)\/(?:\d+\/)?(\d+)\/?$/.exec(urlOf(url)?.pathname ?? '') ?? []
  const own = [...all.values()].find(
    ({ telegram }) =>
      telegram.post.id === number && telegram.channel?.username?.toLowerCase() === channel?.toLowerCase(),
  )
  return { own: number ? own : undefined, all: [...all.values()] }
}

/** A post; undefined if it has no address. */
export const readTelegramPost = (
  post: Element,
  { document, url: base, time }: PageState,
): TelegramRecord | undefined => {
  const title = '.tgme_channel_info_header_title'
  const header = {
    title: textIn(document, `${title} span`) ?? textIn(document, title),
    username: textIn(document, '.tgme_channel_info_header_username')?.replace(/^@/, ''),
  }
  const [, username, id] = /^([^/]+)\/(\d+)$/.exec(post.getAttribute('data-post') ?? '') ?? []
  const linked = addressOf(post.querySelector('a.tgme_widget_message_date[href]')?.getAttribute('href'), base)
  // The platform's address of a post is its `data-post` below the host.
  const url = linked ?? (username && id ? addressOf(`https://t.me/${username}/${id}`, base) : undefined)
  if (!url) return undefined
  const attachments = attachmentsOf(post, base)
  const message = messageOf(post)
  const ownerName = textIn(post, '.tgme_widget_message_owner_name')
  const record: TelegramRecord = {
    collector_metadata: { fetch_timestamp: time, source: 'telegram' },
    telegram: {
      channel: filled({
        username: textOf(username) ?? header.username,
        title: header.title ?? ownerName,
        platform: 'telegram',
      }),
      post: {
        ...filled({
          id: textOf(id),
          author:
            // An owner's name always exists. A signature says who of a channel wrote, a group who of its members.
            textIn(post, '.tgme_widget_message_from_author') ??
            textIn(post, '.tgme_widget_message_author_name') ??
            ownerName,
          description: textOf(saidIn(post, message)),
        }),
        url,
      },
      ...(attachments.length > 0 && { attachments }),
    },
    ...contextOf({
      posted_at: timeOf(timeIn(post)),
      edited: [...post.querySelectorAll('.tgme_widget_message_meta')].some(isMarkedEdited) || undefined,
      forwarded_from: filled({
        name: textIn(post, FORWARDED),
        url: addressOf(ownIn(post, FORWARDED)?.closest('a[href]')?.getAttribute('href'), base),
      }),
      links: linksOf(message, post, base),
      media: mediaOf([
        ...attachments.flatMap(({ type, url: image }) => (type === 'image' && image ? [image] : [])),
        ...stillsOf(post, base),
      ]),
    }),
  }
  elements.set(record, post)
  return record
}

const PREVIEW = 'a.tgme_widget_message_link_preview[href]'

/** Links of a post beside its text: of its preview, its place and its buttons. */
const LINKED = [
  PREVIEW,
  'a.tgme_widget_message_location_wrap[href]',
  'a.tgme_widget_message_inline_button[href]',
]

/** The links in a post's text, and those beside it. */
const linksOf = (message: Element | undefined, post: Element, base: string): string[] | undefined => {
  const beside = [...post.querySelectorAll(LINKED.join(', '))].filter(
    link => link.matches(PREVIEW) || isOwn(link),
  )
  const links = [
    ...((message && linksIn(message, base)) ?? []),
    ...beside.flatMap(link => addressOf(link.getAttribute('href'), base) ?? []),
  ].filter(address => !isSearch(address))
  return links.length > 0 ? [...new Set(links)].slice(0, LIMITS.contextLinksMax) : undefined
}

/** Whether a link only searches the channel: that of a hashtag. */
const isSearch = (address: string): boolean => {
  const url = urlOf(address)
  return url !== undefined && isTelegramHost(url.hostname) && url.searchParams.has('q')
}

const FORWARDED = '.tgme_widget_message_forwarded_from_name'

const timeIn = (post: Element): string | null | undefined =>
  ownIn(post, '.tgme_widget_message_date time[datetime]')?.getAttribute('datetime')

const SIGNATURES = '.tgme_widget_message_from_author, .tgme_widget_message_author_name'

/** The text of an element, with a space for each text of a signature in it. */
const unsignedText = (element: Element): string => {
  const texts = element.ownerDocument.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  let text = ''
  while (texts.nextNode()) {
    const { parentElement, nodeValue } = texts.currentNode
    text += parentElement?.closest(SIGNATURES) ? ' ' : nodeValue
  }
  return text
}
/** Whether a post's footer contains the mark of an edit. A signature stands in it, too, and is its author's text. */
const isMarkedEdited = (meta: Element): boolean => isOwn(meta) && /\bedited\b/i.test(unsignedText(meta))

const isOwn = (element: Element): boolean => element.closest(NOT_OF_THE_POST) === null

const ownIn = (parent: ParentNode, selector: string): Element | undefined =>
  [...parent.querySelectorAll(selector)].find(isOwn)

const textIn = (parent: ParentNode, selector: string): string | undefined =>
  textOf(ownIn(parent, selector)?.textContent?.trim())

const messageOf = (post: Element): Element | undefined =>
  [...post.querySelectorAll('.tgme_widget_message_text')].find(
    element => isOwn(element) && !element.matches('.js-message_reply_text'),
  )

/** The text of a post, and what it says beside it, each on a line. */
const saidIn = (post: Element, message: Element | undefined): string =>
  [message, ...[...post.querySelectorAll(SAID)].filter(isOwn)]
    .flatMap(element => (element && linesOf(element).trim()) || [])
    .join('\n')

const BLOCKS = new Set([
  'BLOCKQUOTE',
  'PRE',
  'P',
  'DIV',
  'UL',
  'OL',
  'LI',
  'H1',
  'H2',
  'H3',
  'H4',
  'H5',
  'H6',
])

/** An element's text with its line breaks; emoji are text already (`tg-emoji > i.emoji > b`). */
const linesOf = (node: Node): string => {
  let text = ''
  const endLine = () => {
    if (text !== '' && !text.endsWith('\n')) text += '\n'
  }
  let isAfterBlock = false
  for (const child of node.childNodes) {
    const isBlock = BLOCKS.has(child.nodeName)
    const said =
      child.nodeType === Node.TEXT_NODE
        ? (child.nodeValue ?? '')
        : child.nodeName === 'BR'
          ? '\n'
          : child.nodeType === Node.ELEMENT_NODE
            ? linesOf(child)
            : ''
    if (said === '') continue
    if (isBlock || (isAfterBlock && !said.startsWith('\n'))) endLine()
    text += said
    isAfterBlock = isBlock
  }
  return text
}

type Attachment = NonNullable<TelegramRecord['telegram']['attachments']>[number]

/**
 * Pictures, stickers, videos, voices and documents. The preview has no file of a document, and none of a video that is too
 * large: their address is that of the link around them.
 */
const attachmentsOf = (post: Element, base: string): Attachment[] => {
  const seen = new Set<string>()
  const attachments: Attachment[] = []
  for (const element of [...post.querySelectorAll(ATTACHMENTS)].filter(isOwn)) {
    if (element.matches(PLAYERS) && element.querySelector(FILES)) continue
    const attachment = attachmentOf(element, base)
    if (attachment.url && seen.has(attachment.url)) continue
    if (attachment.url) seen.add(attachment.url)
    if (attachment.url || attachment.type === 'document') attachments.push(attachment)
  }
  return attachments.slice(0, ATTACHMENTS_MAX)
}

/** Of videos that are too large for the preview, the pictures shown instead: there is nothing else of them. */
const stillsOf = (post: Element, base: string): string[] =>
  [...post.querySelectorAll('.tgme_widget_message_video_thumb')]
    .filter(still => isOwn(still) && !still.closest(PLAYERS)?.querySelector(FILES))
    .flatMap(still => addressOf(backgroundOf(still), base) ?? [])

const attachmentOf = (element: Element, base: string): Attachment => {
  const picture = pictureOf(element)
  const file =
    element.getAttribute('src') ??
    element.querySelector('source[srcset]')?.getAttribute('srcset') ??
    element.closest('a[href]')?.getAttribute('href')
  const url = addressOf(picture ?? file, base)
  return { type: picture === undefined ? 'document' : 'image', ...(url && { url }) }
}

/** The picture of a photo or sticker: null if it has none, undefined for what is no picture, as a sticker that moves. */
const pictureOf = (element: Element): string | null | undefined => {
  if (element.matches('a.tgme_widget_message_photo_wrap')) return backgroundOf(element) ?? null
  if (!element.matches('.tgme_widget_message_sticker')) return undefined
  return element.getAttribute('data-webp') ?? backgroundOf(element) ?? null
}

const backgroundOf = (element: Element): string | undefined =>
  /background-image\s{0,9}:\s{0,9}url\(\s{0,9}(?:'([^']*)'|"([^"]*)"|([^)'"\s]*))/i
    .exec(element.getAttribute('style') ?? '')
    ?.slice(1)
    .find(Boolean)
