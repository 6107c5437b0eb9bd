import { LIMITS, parseUrl, type TelegramRecord } from '@iodine/contracts'
import { contextOf, linksIn, mediaOf, timeOf } from './context'
import { addressOf, type Found, filled, type PageState, textOf } from './read'

/** Elements of a post that quote another one. */
const NOT_OF_THE_POST =
  '.tgme_widget_message_user_photo, .tgme_widget_message_reply, .tgme_widget_message_link_preview'
const STICKERS = '.tgme_widget_message_sticker, .tgme_widget_message_tgsticker'
/** Players of videos and voice messages. Those without a file are too large for the preview. */
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
/** Further texts of a post: poll, location, contact, game. Vote counts are left out because they change. */
const EXTRA_TEXTS = [
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

/** Returns the documents of a page: its own and those of readable frames. `t.me/CHANNEL/ID` shows a post in a frame. */
export const documentsOf = (document: Document): Document[] => [
  document,
  ...[...document.querySelectorAll('iframe')].flatMap(frame => frame.contentDocument ?? []),
]

/** Resolves once the frames of the page's own origin have loaded, or after a timeout of 5 s. */
export const framesLoaded = async (document: Document): Promise<void> => {
  const siteOf = (address: string | null) => parseUrl(address ?? '', document.baseURI)?.origin
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

/** Returns whether a URL is that of Telegram's web app, whose pages do not contain the URLs of posts. */
export const isTelegramApp = (address: string): boolean => APP_HOST.test(parseUrl(address)?.hostname ?? '')

/** Returns the public page of the channel for a Telegram URL, in the form that users type; undefined for other URLs. */
export const channelPage = (address: string): string | undefined => {
  const url = parseUrl(address)
  if (!url || !isTelegramHost(url.hostname)) return undefined
  const name = APP_HOST.test(url.hostname)
    ? /^#@(\w+)/.exec(url.hash)
    : /^\/(?:s\/)?(\w{4,})/.exec(url.pathname)
  return `t.me/s/${name?.[1] ?? 'CHANNEL'}`
}

/** Returns the elements of a channel's posts, in the page's order. */
export const telegramPosts = (document: Document): Element[] =>
  documentsOf(document).flatMap(each => [
    ...each.querySelectorAll('.tgme_widget_message[data-post]:not(.service_message)'),
  ])

/** Elements by record. */
const elements = new WeakMap<TelegramRecord, Element>()

/** Returns the element from which a post was read. */
export const elementOf = (record: TelegramRecord): Element | undefined => elements.get(record)

/** Reads the posts of a channel's public preview, in the page's order. */
export const readTelegramPage = (page: PageState): Found<TelegramRecord> => {
  const { document, url } = page
  const all = new Map<string, TelegramRecord>()
  for (const post of telegramPosts(document)) {
    const record = readTelegramPost(post, page)
    if (record) all.set(record.telegram.post.url, record)
  }
  // `/s/channel/12`, `/channel/12` and, in a topic of a group, `/group/3/12` are about post 12.
  const [, channel, number] =
    /^\/(?:s\/)?(\w+)\/(?:\d+\/)?(\d+)\/?$/.exec(parseUrl(url)?.pathname ?? '') ?? []
  const own = [...all.values()].find(
    ({ telegram }) =>
      telegram.post.id === number && telegram.channel?.username?.toLowerCase() === channel?.toLowerCase(),
  )
  return { own: number ? own : undefined, all: [...all.values()] }
}

/** Reads a post; undefined if it has no URL. */
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
  // The URL of a post is the host followed by its `data-post`.
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
            // A channel post may have a signature, a group post has its member's name; the owner's name always
            // exists.
            textIn(post, '.tgme_widget_message_from_author') ??
            textIn(post, '.tgme_widget_message_author_name') ??
            ownerName,
          description: textOf(textWithExtras(post, message)),
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

/** Links of a post outside of its text: of its preview, its location and its buttons. */
const LINKED = [
  PREVIEW,
  'a.tgme_widget_message_location_wrap[href]',
  'a.tgme_widget_message_inline_button[href]',
]

/** Returns the links in a post's text, and those outside of it. */
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

/** Returns whether a link only searches the channel, as that of a hashtag does. */
const isSearch = (address: string): boolean => {
  const url = parseUrl(address)
  return url !== undefined && isTelegramHost(url.hostname) && url.searchParams.has('q')
}

const FORWARDED = '.tgme_widget_message_forwarded_from_name'

const timeIn = (post: Element): string | null | undefined =>
  ownIn(post, '.tgme_widget_message_date time[datetime]')?.getAttribute('datetime')

const SIGNATURES = '.tgme_widget_message_from_author, .tgme_widget_message_author_name'

/** Returns the text of an element, with a space for each text of a signature in it. */
const unsignedText = (element: Element): string => {
  const texts = element.ownerDocument.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  let text = ''
  while (texts.nextNode()) {
    const { parentElement, nodeValue } = texts.currentNode
    text += parentElement?.closest(SIGNATURES) ? ' ' : nodeValue
  }
  return text
}
/**
 * Returns whether a post's footer contains the mark of an edit. The footer also contains the signature, which is free
 * text.
 */
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

/** Returns the text of a post and its further texts, each on a line. */
const textWithExtras = (post: Element, message: Element | undefined): string =>
  [message, ...[...post.querySelectorAll(EXTRA_TEXTS)].filter(isOwn)]
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

/** Returns an element's text with its line breaks. Emoji are text already (`tg-emoji > i.emoji > b`). */
const linesOf = (node: Node): string => {
  let text = ''
  const endLine = () => {
    if (text !== '' && !text.endsWith('\n')) text += '\n'
  }
  let isAfterBlock = false
  for (const child of node.childNodes) {
    const isBlock = BLOCKS.has(child.nodeName)
    const childText =
      child.nodeType === Node.TEXT_NODE
        ? (child.nodeValue ?? '')
        : child.nodeName === 'BR'
          ? '\n'
          : child.nodeType === Node.ELEMENT_NODE
            ? linesOf(child)
            : ''
    if (childText === '') continue
    if (isBlock || (isAfterBlock && !childText.startsWith('\n'))) endLine()
    text += childText
    isAfterBlock = isBlock
  }
  return text
}

type Attachment = NonNullable<TelegramRecord['telegram']['attachments']>[number]

/**
 * Returns pictures, stickers, videos, voice messages and documents. The preview has no file for a document or a large
 * video: their URL is that of the enclosing link.
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

/** Returns the still pictures of videos that are too large for the preview. */
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

/**
 * Returns the picture of a photo or sticker; null if it has none, undefined for other elements, such as animated
 * stickers.
 */
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
