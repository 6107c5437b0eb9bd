import { USER_DATA_PARTS } from './formats/tiktok-user-data.js'
import type { Question } from './types.js'

/** What the questions of a format depend on. */
interface Known {
  name: string
  text?: string
}

const baseName = (name: string) => name.replace(/^.*[/\\]/, '').replace(/(?:\.\w{2,6})+$/, '')

/** Returns the channel in the name of a file, such as `CHANNEL.json` and `CHANNEL_messages.json`. */
const channelIn = (name: string): string[] => {
  const base = baseName(name).replace(/_messages$/, '')
  return /^(?:[A-Za-z]\w{3,31}|-?\d{6,})$/.test(base) ? [base] : []
}
const videoIn = (name: string): string[] =>
  baseName(name).match(/(?<![\w-])[\w-]{11}(?![\w-])|(?<=_)[\w-]{11}(?=_)/g) ?? []

const QUESTIONS: Readonly<Record<string, (known: Known) => Question[]>> = {
  'telegram-desktop': ({ text = '' }) => [
    { name: 'chats', required: false },
    ...(/"date"/.test(text) && !/"date_unixtime"/.test(text)
      ? [{ name: 'timezone' as const, required: true }]
      : []),
  ],
  'telegram-desktop-html': () => [
    { name: 'username', required: true },
    { name: 'timezone', required: false },
  ],
  telethon: ({ text = '' }) =>
    /"chats"\s*:|"_chat"\s*:/.test(text) ? [] : [{ name: 'chats', required: false }],
  'telegram-scraper': ({ name }) => [{ name: 'channel', required: true, proposed: channelIn(name) }],
  'telegram-scraper-csv': ({ name }) => [{ name: 'channel', required: true, proposed: channelIn(name) }],
  'tiktok-user-data': () => [{ name: 'parts', required: true, proposed: USER_DATA_PARTS }],
  'x-archive': () => [{ name: 'username', required: true }],
  'ytdt-comments': ({ name }) => [
    { name: 'video_id', required: true, proposed: videoIn(name) },
    { name: 'timezone', required: true },
  ],
}

/** Returns the questions of a format. */
export const questionsOf = (format: string, known: Known): Question[] =>
  Object.hasOwn(QUESTIONS, format) ? (QUESTIONS[format]?.(known) ?? []) : []

/** Usual names of columns by field of a mapping, in lower case. */
const COLUMNS: Readonly<Record<string, RegExp>> = {
  url: /^(?:url|urls?_?link|link|permalink|(?:post|tweet|(?:web_?)?video|webpage)_?url|address|adresse|lien|enlace|uri|href)$/,
  id: /^(?:id(?:_?str)?|(?:post|tweet|status|video|message)_?id)$/,
  platform: /^(?:platform|network|source)$/,
  title: /^(?:title|headline|titre)$/,
  text: /^(?:(?:full_?|post_?)?text|texte|texto|post|message|body|content|caption|(?:video_?)?description|desc|tweet)$/,
  language: /^(?:lang|language)$/,
  published_at:
    /^(?:date|datum|fecha|time|when|(?:video_?)?timestamp|created?(?:_?(?:at|time(?:_?iso)?))?|published(?:_?at)?|datetime|posted_?at|upload_?date)$/,
  'author.handle': /^(?:handle|(?:author_?)?user_?name|screen_?name|account|authormeta\.name|uploader_?id)$/,
  'author.name':
    /^(?:author|auteur|autor|name|who|(?:author_?)?(?:display|nick)_?name|authormeta\.nickname|uploader|channel|user)$/,
  'metrics.likes': /^(?:likes?|(?:video_?)?digg)(?:_?count)?$/,
  'metrics.shares': /^(?:(?:video_?)?shares?|retweets?|reposts?)(?:_?count)?$/,
  'metrics.comments': /^(?:(?:video_?)?comments?|repl(?:y|ies))(?:_?count)?$/,
  'metrics.views': /^(?:views?|(?:video_?)?plays?|impressions?)(?:_?count)?$/,
  hashtags: /^(?:hash)?tags$/,
}

/** Proposes columns for the fields of a table, by their names. */
export const proposedMapping = (columns: readonly string[]): Record<string, string> => {
  const found = Object.entries(COLUMNS).flatMap(([field, pattern]) => {
    const column = columns.find(each => pattern.test(each.trim().toLowerCase().replaceAll(' ', '_')))
    return column === undefined ? [] : [[field, column] as const]
  })
  return Object.fromEntries(found)
}
