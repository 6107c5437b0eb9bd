import type { Answers, Question, TelegramChat } from '@iodine/imports'
import { cleanChats, isPrivate } from './chats'
import { type ColumnMapping, mappingFault, usableMapping } from './column-mapping'
import { type DateForm, dateForms, needsZone } from './time-forms'

/** The user's answers. The time of the file is no question. */
export type GivenAnswers = Omit<Answers, 'file_time'>

/** What a file asks before it can be read. */
export interface Questions {
  format: string
  questions: readonly Question[]
  /** The first bytes of the file, to preview encodings. */
  head: Uint8Array
  /** Answers that were given already, such as the encoding. */
  given: GivenAnswers
  /** Questions that were asked already. */
  asked: readonly Question['name'][]
  /** Columns that the user chose for the same header before. */
  saved?: ColumnMapping
  /** Channels and groups of the export. */
  chats?: readonly TelegramChat[]
}

interface QuestionText {
  label: string
  help: string
}

/** Questions that are answered with a text. */
export const TEXT_QUESTIONS = {
  username: {
    label: 'Username',
    help: 'Of the channel or account, as in its URL. The file does not contain it; without it the posts have no public URL.',
  },
  channel: { label: 'Channel', help: 'Username of the channel. The file contains it only in its name.' },
  video_id: {
    label: 'Id of the video',
    help: 'The video that the comments are on. The file does not contain it.',
  },
  platform: { label: 'Platform', help: 'Of rows that state none, for example x, facebook or vk.' },
} as const satisfies Partial<Record<Question['name'], QuestionText>>

export type TextQuestion = keyof typeof TEXT_QUESTIONS

export const isTextQuestion = (name: Question['name']): name is TextQuestion =>
  Object.hasOwn(TEXT_QUESTIONS, name)

/** Lists of TikTok's own data. */
const PARTS: Readonly<Record<string, string>> = {
  posts: 'Your own videos',
  watched: 'Videos that you watched',
  liked: 'Videos that you liked',
  favorites: 'Favorites',
  shared: 'Videos that you shared',
}

/** Returns the label of a list of TikTok's own data. */
export const partLabel = (part: string): string => PARTS[part] ?? part

export const findQuestion = (questions: readonly Question[], name: Question['name']): Question | undefined =>
  questions.find(question => question.name === name)

/** Returns the answers that the form proposes. Private chats are chosen one by one. */
export const proposedAnswers = ({ questions, given, saved, chats = [] }: Questions): GivenAnswers => {
  const answers: GivenAnswers = { ...given }
  for (const question of questions) {
    const { name, proposed = [], columns = [], mapping = {} } = question
    const [first] = proposed
    if (name === 'mapping') answers.mapping ??= usableMapping(saved ?? mapping, columns)
    else if (name === 'chats')
      answers.chats ??= Object.fromEntries(
        chats.filter(chat => !isPrivate(chat) || chats.length === 1).map(({ id }) => [id, {}]),
      )
    else if (name === 'parts') answers.parts ??= proposed.filter(part => part === 'posts')
    else if (first !== undefined) answers[name] ??= first
  }
  return answers
}

/** Returns the cells of the mapped time in the previewed rows. */
export const timesOf = ({ columns = [], rows = [] }: Question, { mapping }: GivenAnswers): string[] => {
  const at = columns.indexOf(mapping?.published_at ?? '')
  return at === -1 ? [] : rows.map(row => row[at] ?? '')
}

/** Returns whether the form asks for a time zone, and between which forms of dates it lets the user choose. */
export const timeQuestions = (
  questions: readonly Question[],
  answers: GivenAnswers,
): { asksZone: boolean; forms: DateForm[] } => {
  const table = findQuestion(questions, 'mapping')
  if (!table) return { asksZone: findQuestion(questions, 'timezone') !== undefined, forms: [] }
  const times = timesOf(table, answers)
  return { asksZone: needsZone(times), forms: dateForms(times) }
}

/** Returns the form of dates: the chosen one if it is possible, else the only one. */
const formOf = (forms: readonly DateForm[], answers: GivenAnswers): string | undefined =>
  (forms.find(({ format }) => format === answers.date_format) ?? (forms.length === 1 ? forms[0] : undefined))
    ?.format

const isAnswered = (name: Question['name'], answers: GivenAnswers): boolean => {
  if (name === 'chats') return Object.keys(answers.chats ?? {}).length > 0
  if (name === 'parts') return (answers.parts ?? []).length > 0
  const value = answers[name]
  return typeof value === 'string' ? value.trim() !== '' : value !== undefined
}

const ADVICE: Partial<Record<Question['name'], string>> = {
  chats: 'Choose at least one chat.',
  parts: 'Choose at least one list.',
}

/** Returns what the answers lack, as advice; undefined if the file can be read with them. */
export const answersFault = (questions: readonly Question[], answers: GivenAnswers): string | undefined => {
  if (findQuestion(questions, 'mapping')) {
    const fault = mappingFault(answers.mapping ?? {})
    if (fault) return fault
  }
  const { asksZone, forms } = timeQuestions(questions, answers)
  if (asksZone && !answers.timezone) return 'Choose the time zone of the times.'
  if (forms.length > 1 && !formOf(forms, answers)) return 'Choose whether the day or the month comes first.'
  const open = questions.find(
    ({ name, required }) => (required || name === 'chats') && !isAnswered(name, answers),
  )
  if (!open) return undefined
  return (
    ADVICE[open.name] ??
    (isTextQuestion(open.name) ? `Enter: ${TEXT_QUESTIONS[open.name].label}.` : 'Answer all questions.')
  )
}

/** Returns the answers for the reader: without empty texts, and with the form of dates. */
export const cleanAnswers = (
  questions: readonly Question[],
  { chats, date_format, ...answers }: GivenAnswers,
): GivenAnswers => {
  const { forms } = timeQuestions(questions, answers)
  const form = forms.length > 0 ? formOf(forms, { date_format }) : date_format
  const texts = Object.entries(answers)
    .map(([name, value]) => [name, typeof value === 'string' ? value.trim() : value] as const)
    .filter(([, value]) => value !== '')
  return {
    ...Object.fromEntries(texts),
    ...(form && { date_format: form }),
    ...(chats && { chats: cleanChats(chats) }),
  }
}

/** Returns the first lines of a text in an encoding, for a preview. */
export const firstLines = (head: Uint8Array, encoding: string): string[] => {
  const text = new TextDecoder(encoding).decode(head, { stream: true })
  return text.split(/\r\n?|\n/).slice(0, 5)
}

/** Returns the time zones that the browser knows, with UTC and its own first. */
export const timeZones = (): string[] => {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  return [...new Set(['UTC', own, ...Intl.supportedValuesOf('timeZone')])]
}
