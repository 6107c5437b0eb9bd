import { Parser } from 'htmlparser2'
import type { Draft } from '../../records/draft.js'
import { type DraftRecord, messageRecord } from '../../records/of-draft.js'
import { telegramUrl } from '../../text/addresses.js'
import { absoluteUrl, VisibleText } from '../../text/html.js'
import { timeOf } from '../../text/times.js'
import type { Answers, Reason, Warning } from '../../types.js'

type HtmlItem = (DraftRecord & { at: number; warnings?: Warning[] }) | { skipped: Reason; line: number }

/** Parts of a message by the class of their element (tdesktop, `export_output_html.cpp`). */
const PARTS = ['from_name', 'text', 'signature', 'reply_to'] as const
type Part = (typeof PARTS)[number]

interface Message {
  id: number
  isService: boolean
  isJoined: boolean
  date?: string
  texts: Partial<Record<Part | 'forwarded_from', VisibleText>>
  links: string[]
  media: { type: string }[]
  replyTo?: string
}

const classesOf = (attributes: Record<string, string>): string[] => (attributes.class ?? '').split(/\s+/)

/** Collects messages from the elements of a page. */
class MessagePage {
  readonly #parser: Parser
  readonly #done: Message[] = []
  #message: Message | undefined
  /** Open elements: the part that each begins. */
  readonly #open: (string | undefined)[] = []
  #title = new VisibleText()

  constructor() {
    this.#parser = new Parser(
      {
        onopentag: (name, attributes) => this.#begin(name, attributes),
        ontext: text => this.#target()?.add(text, false),
        onclosetag: () => this.#open.pop(),
      },
      { decodeEntities: true },
    )
  }

  get title(): string {
    return this.#title.value
  }

  /** Reads a part of the page and returns the messages that end in it. */
  add(text: string): Message[] {
    this.#parser.write(text)
    return this.#done.splice(0)
  }

  end(): Message[] {
    this.#parser.end()
    this.#finish()
    return this.#done.splice(0)
  }

  #finish(): void {
    if (this.#message) this.#done.push(this.#message)
    this.#message = undefined
  }

  #target(): VisibleText | undefined {
    const part = this.#open.findLast(each => each !== undefined)
    if (part === 'page_title') return this.#title
    const message = this.#message
    if (!message || part === undefined || part === 'ignored') return undefined
    const isForwarded = this.#open.includes('forwarded') && part === 'from_name'
    const name = isForwarded ? 'forwarded_from' : PARTS.find(each => each === part)
    if (!name) return undefined
    message.texts[name] ??= new VisibleText()
    return message.texts[name]
  }

  #begin(name: string, attributes: Record<string, string>): void {
    const classes = classesOf(attributes)
    if (name === 'br') this.#target()?.break(1, true)
    this.#open.push(this.#partOf(name, classes))
    const [, id] = /^message(-?\d+)$/.exec(attributes.id ?? '') ?? []
    if (id && classes.includes('message')) {
      this.#finish()
      this.#message = {
        id: Number(id),
        isService: classes.includes('service'),
        isJoined: classes.includes('joined'),
        texts: {},
        links: [],
        media: [],
      }
    }
    if (this.#message) this.#read(this.#message, name, attributes, classes)
  }

  #partOf(name: string, classes: readonly string[]): string | undefined {
    if (!this.#message) return classes.includes('text') && classes.includes('bold') ? 'page_title' : undefined
    if (classes.includes('forwarded') && classes.includes('body')) return 'forwarded'
    // The time of the original post, and the bot by which it was sent, stand within its author's name.
    if (name === 'span' && (classes.includes('date') || classes.includes('details'))) return 'ignored'
    if (classes.includes('media_wrap') || classes.includes('reactions')) return 'ignored'
    return PARTS.find(part => classes.includes(part))
  }

  #read(
    message: Message,
    name: string,
    attributes: Record<string, string>,
    classes: readonly string[],
  ): void {
    if (classes.includes('date') && name === 'div') message.date ??= attributes.title
    const link = attributes.href ?? ''
    if (name === 'a' && this.#open.includes('text')) {
      const url = absoluteUrl(link)
      if (url && !message.links.includes(url)) message.links.push(url)
    }
    if (name === 'a' && this.#open.includes('reply_to'))
      message.replyTo ??= /#go_to_message(\d+)$/.exec(link)?.[1]
    if (classes.includes('photo_wrap')) message.media.push({ type: 'image' })
    else if (
      classes.some(each =>
        /^(?:video_file_wrap|animated_wrap|sticker_wrap|media_(?:file|video|audio_file|voice_message|photo))$/.test(
          each,
        ),
      )
    )
      message.media.push({ type: classes.includes('media_photo') ? 'image' : 'document' })
  }
}

/** Times of an export: `13.11.2025 03:13:20 UTC+01:00`, in older files without a zone. */
const dateOf = (written: string | undefined, timezone: string | undefined): string | undefined => {
  const [, local, stated] =
    /^(\d\d\.\d\d\.\d{4} \d\d:\d\d:\d\d)(?: UTC([+-]\d\d:\d\d))?$/.exec(written?.trim() ?? '') ?? []
  // The stated offset is that of winter all year, so the user's zone is better.
  return timeOf(local, { zone: timezone ?? stated, format: '%d.%m.%Y %H:%M:%S' })
}

/**
 * Reads a page of Telegram Desktop's HTML export. Messages are identified by their number.
 * @param answers `username` or `channel` names the chat, which the export does not
 */
export async function* readTelegramHtml(
  texts: AsyncIterable<string>,
  answers: Answers,
): AsyncGenerator<HtmlItem, void, undefined> {
  const page = new MessagePage()
  const channel = answers.username ?? answers.channel
  let sender: string | undefined
  const itemOf = (message: Message): HtmlItem | undefined => {
    const { id, isService, isJoined, texts: parts, links, media, replyTo } = message
    // Negative ids are lines with a date.
    if (id < 0) return undefined
    if (isService) return { skipped: 'service-message', line: id }
    if (!channel) return { skipped: 'no-address', line: id }
    sender = isJoined ? sender : parts.from_name?.value || undefined
    const published_at = dateOf(message.date, answers.timezone)
    const draft: Draft = {
      text: parts.text?.value,
      published_at,
      author: { name: sender },
      within: { name: page.title },
      links,
      media,
      relations: {
        ...(replyTo && { in_reply_to: { url: telegramUrl(channel, replyTo) } }),
        repost_of: { author: parts.forwarded_from?.value },
      },
    }
    const record = messageRecord(channel, `${id}`, draft, {
      fetched: answers.file_time,
      by: 'telegram-desktop-html',
    })
    const signature = parts.signature?.value
    const isUnread = message.date !== undefined && published_at === undefined
    const also = { ...(signature && { signature }), ...record.also }
    return {
      ...record,
      at: id,
      ...(Object.keys(also).length > 0 && { also }),
      ...(isUnread && { warnings: ['unreadable-time'] }),
    }
  }
  const items = (messages: Message[]) => messages.map(itemOf).filter(item => item !== undefined)
  for await (const text of texts) yield* items(page.add(text))
  yield* items(page.end())
}
