import { at, countAt, idAt, idOf, listAt, textAt, textOf, timeFrom } from '../../json/fields.js'
import type { Keys } from '../../json/parse.js'
import { itemOf } from '../../json/read.js'
import { pathValues } from '../../json/values.js'
import { messageRecord } from '../../records/of-draft.js'
import { RefusedError } from '../../refused.js'
import { telegramUrl } from '../../text/addresses.js'
import type { Answers, Warning } from '../../types.js'
import type { AlbumItem } from './albums.js'
import { repairedTexts } from './repair.js'

/* JSON of Telegram Desktop (telegramdesktop/tdesktop, export_output_json.cpp): one chat, or an account. */

/** Chats that have addresses. Others are private. */
export const CHANNELS = /^(?:public|private)_channel$|^(?:public|private)_supergroup$/
/** Chats that are read without a choice of the user. */
const DEFAULT = /^(?:public|private)_channel$|^public_supergroup$/
const ALBUM_MAX = 10
/** Messages that precede the type and id of their chat. */
const PENDING_MAX = 10_000

interface Chat {
  /** Path from the root, to recognise the next chat. */
  path: string
  name?: string | undefined
  type?: string | undefined
  id?: string | undefined
  pending: unknown[]
}

const isChosen = ({ type = '', id = '' }: Chat, { chats }: Answers): boolean =>
  CHANNELS.test(type) && (chats ? Object.hasOwn(chats, id) : DEFAULT.test(type))

/** Returns the pieces of a text: a text, or a list of texts and entities. */
const piecesOf = (message: unknown): readonly unknown[] => {
  const text = at(message, 'text')
  const entities = listAt(message, 'text_entities')
  if (Array.isArray(text)) return text
  return textOf(text) === undefined ? entities : [text]
}

const linksOf = (message: unknown): string[] => {
  const entities = listAt(message, 'text_entities')
  return (entities.length > 0 ? entities : piecesOf(message)).flatMap(entity => {
    const [type, text = ''] = [textAt(entity, 'type'), textAt(entity, 'text')]
    if (type === 'link') return /^https?:/i.test(text) ? text : `https://${text}`
    if (type === 'text_link') return textAt(entity, 'href') ?? []
    return type === 'mention' ? `https://t.me/${text.replace(/^@/, '')}` : []
  })
}

const timesOf = (message: unknown, { timezone }: Answers, warnings: Set<Warning>) => {
  const time = (name: string) => {
    const unix = textAt(message, `${name}_unixtime`) ?? at(message, `${name}_unixtime`)
    const written = textAt(message, name)
    const stated = unix ?? written
    if (stated === 0 || (typeof stated === 'string' && /^0$|^1970-/.test(stated))) return undefined
    return timeFrom(stated, { warnings }, { ...(unix === undefined && timezone && { zone: timezone }) })
  }
  return { published_at: time('date'), edited_at: time('edited') }
}

const hasFile = (message: unknown): boolean => ['photo', 'file'].some(key => at(message, key) !== undefined)

/** The message before, if it has a file, and its album so far. */
interface Previous {
  message: unknown
  album: string
  count: number
  hasText: boolean
}

/** Reads the messages of a file in order. */
class Messages {
  #number = 0
  readonly #answers: Answers
  #previous: Previous | undefined

  constructor(answers: Answers) {
    this.#answers = answers
  }

  get next(): number {
    return this.#number + 1
  }

  skip(): AlbumItem {
    this.#number += 1
    return { skipped: 'chat-not-chosen', line: this.#number }
  }

  read(message: unknown, chat: Chat): AlbumItem {
    this.#number += 1
    const line = this.#number
    const type = textAt(message, 'type')
    if (type === 'service') return { skipped: 'service-message', line }
    if (type === 'unsupported') return { skipped: 'unsupported-message', line }
    if (type !== 'message') return { skipped: 'not-an-item', line }
    const id = idAt(message, 'id')
    if (!id) return { skipped: 'no-id', line }
    const warnings = new Set<Warning>()
    const record = this.#record(message, id, chat, warnings)
    return { ...itemOf(record, line, warnings), album: this.#albumOf(message, chat) }
  }

  #record(message: unknown, id: string, chat: Chat, warnings: Set<Warning>) {
    const { file_time, chats, username } = this.#answers
    const answer =
      chats && chat.id !== undefined && Object.hasOwn(chats, chat.id) ? chats[chat.id] : undefined
    const channel = answer?.username ?? (chat.path === '' ? username : undefined) ?? chat.id ?? ''
    const reply = idAt(message, 'reply_to_message_id')
    const isHere = at(message, 'reply_to_peer_id') === undefined
    const reactions = listAt(message, 'reactions').reduce<number>(
      (sum, each) => sum + (countAt(each, 'count') ?? 0),
      0,
    )
    const forwarder = textAt(message, 'forwarded_from')
    const record = messageRecord(
      channel,
      id,
      {
        text: piecesOf(message)
          .map(piece => (typeof piece === 'string' ? piece : (textOf(at(piece, 'text')) ?? '')))
          .join(''),
        ...timesOf(message, this.#answers, warnings),
        author: { name: textAt(message, 'from') },
        within: { name: answer?.title ?? chat.name },
        links: linksOf(message),
        media: hasFile(message) ? [{ type: at(message, 'photo') === undefined ? 'document' : 'image' }] : [],
        metrics: { reactions: reactions > 0 ? reactions : undefined },
        relations: {
          ...(reply && isHere && { in_reply_to: { url: telegramUrl(channel, reply) } }),
          ...(forwarder && { repost_of: { author: forwarder } }),
        },
      },
      { fetched: file_time, by: 'telegram-desktop' },
    )
    const signature = textAt(message, 'author')
    return signature ? { ...record, also: { ...record.also, signature } } : record
  }

  /**
   * Returns the key of a message's album. Exports have no ids of albums: their messages have files, one second, one
   * sender, one origin, ids in sequence, and at most one text.
   */
  #albumOf(message: unknown, chat: Chat): string | undefined {
    if (!hasFile(message)) {
      this.#previous = undefined
      return undefined
    }
    const hasText = piecesOf(message).some(piece => piece !== '')
    const known = this.#previous
    const isSame = (...keys: string[]) => keys.every(key => at(known?.message, key) === at(message, key))
    const isNext = (known: Previous) =>
      known.album.startsWith(`${chat.path} `) &&
      Number(at(message, 'id')) === Number(at(known.message, 'id')) + 1 &&
      isSame('date', 'date_unixtime', 'from', 'from_id', 'forwarded_from') &&
      known.count < ALBUM_MAX &&
      !(known.hasText && hasText)
    const open = known && isNext(known) ? known : undefined
    const album = open?.album ?? `${chat.path} ${idOf(at(message, 'id'))}`
    this.#previous = {
      message,
      album,
      count: (open?.count ?? 0) + 1,
      hasText: hasText || (open?.hasText ?? false),
    }
    return album
  }
}

const PATHS = ['$', '$.chats.list.*', '$.left_chats.list.*'].flatMap(chat =>
  ['name', 'type', 'id', 'messages.*'].map(key => `${chat}.${key}`),
)

/** Reads the values of chats in the order of the file. */
class Chats {
  #chat: Chat | undefined
  readonly #answers: Answers
  readonly #messages: Messages

  constructor(answers: Answers) {
    this.#answers = answers
    this.#messages = new Messages(answers)
  }

  get next(): number {
    return this.#messages.next
  }

  *add(keys: Keys, value: unknown): Generator<AlbumItem> {
    const isMessage = keys.at(-2) === 'messages'
    const path = keys.slice(0, isMessage ? -2 : -1).join('.')
    if (this.#chat?.path !== path) {
      yield* this.end()
      this.#chat = { path, pending: [] }
    }
    const chat = this.#chat
    if (isMessage) {
      chat.pending.push(value)
      if (chat.pending.length > PENDING_MAX)
        throw new RefusedError('The file has messages before the type of their chat')
    } else if (keys.at(-1) === 'name') chat.name = textOf(value)
    else if (keys.at(-1) === 'type') chat.type = textOf(value)
    else chat.id = idOf(value)
    if (chat.type !== undefined && chat.id !== undefined) yield* this.#flush(chat)
  }

  /** Ends the current chat. Without a type or an id it is not chosen. */
  *end(): Generator<AlbumItem> {
    if (this.#chat) yield* this.#flush(this.#chat)
  }

  *#flush(chat: Chat): Generator<AlbumItem> {
    const chosen = isChosen(chat, this.#answers)
    for (const message of chat.pending.splice(0))
      yield chosen ? this.#messages.read(message, chat) : this.#messages.skip()
  }
}

/**
 * Reads an export of Telegram Desktop as it arrives. Messages of chats that are not chosen are counted,
 * and not read.
 * @throws RefusedError for a message above 16,777,216 characters
 */
export async function* readTelegramDesktop(
  texts: AsyncIterable<string>,
  answers: Answers,
): AsyncGenerator<AlbumItem, void, undefined> {
  const chats = new Chats(answers)
  const values = pathValues(repairedTexts(texts), PATHS)
  for (;;) {
    const { done, value: found } = await values.next()
    if (!done) {
      yield* chats.add(found.keys, found.value)
      continue
    }
    yield* chats.end()
    if (found === 'cut') yield { warning: 'cut-file', line: chats.next }
    if (found === 'broken') yield { skipped: 'broken-line', line: chats.next }
    return
  }
}
