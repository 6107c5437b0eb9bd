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
