import { stopwords as arabic } from '@orama/stopwords/arabic'
import { stopwords as armenian } from '@orama/stopwords/armenian'
import { stopwords as bulgarian } from '@orama/stopwords/bulgarian'
import { stopwords as danish } from '@orama/stopwords/danish'
import { stopwords as dutch } from '@orama/stopwords/dutch'
import { stopwords as english } from '@orama/stopwords/english'
import { stopwords as finnish } from '@orama/stopwords/finnish'
import { stopwords as french } from '@orama/stopwords/french'
import { stopwords as german } from '@orama/stopwords/german'
import { stopwords as greek } from '@orama/stopwords/greek'
import { stopwords as hungarian } from '@orama/stopwords/hungarian'
import { stopwords as italian } from '@orama/stopwords/italian'
import { stopwords as norwegian } from '@orama/stopwords/norwegian'
import { stopwords as portuguese } from '@orama/stopwords/portuguese'
import { stopwords as romanian } from '@orama/stopwords/romanian'
import { stopwords as russian } from '@orama/stopwords/russian'
import { stopwords as spanish } from '@orama/stopwords/spanish'
import { stopwords as swedish } from '@orama/stopwords/swedish'
import { stopwords as turkish } from '@orama/stopwords/turkish'
import { stopwords as ukrainian } from '@orama/stopwords/ukrainian'
import snowball from 'snowball-stemmers'

/**
 * Stop words by script and language. The first language of a script is the default for texts without stop words.
 * Bulgarian, Greek and Ukrainian have no stemmer.
 */
const STOP_WORDS: Record<string, Record<string, readonly string[]>> = {
  Latin: {
    english,
    spanish,
    portuguese,
    french,
    german,
    italian,
    turkish,
    dutch,
    romanian,
    swedish,
    danish,
    norwegian,
    finnish,
    hungarian,
  },
  Cyrillic: { russian, ukrainian, bulgarian },
  Arabic: { arabic },
  Armenian: { armenian },
  Greek: { greek },
}
const SCRIPTS = /* @__PURE__ */ Object.keys(STOP_WORDS).map(
  name => [name, new RegExp(`^\\p{Script=${name}}`, 'u')] as const,
)

interface Language {
  isStopWord: (word: string) => boolean
  stem: (word: string) => string
}

/** Fallback for words in scripts without stop words. */
const OTHER: Language = { isStopWord: () => false, stem: word => word }
/** Maximum cached stems per language: stemming is slower than a look-up. */
const STEMS_MAX = 20_000

const createLanguage = (name: string, stopWords: readonly string[]): Language => {
  const stops = new Set(stopWords)
  const stemmer = snowball.algorithms().includes(name) ? snowball.newStemmer(name) : undefined
  const stems = new Map<string, string>()
  return {
    isStopWord: word => stops.has(word),
    stem: word => {
      const cached = stems.get(word)
      if (cached !== undefined) return cached
      const stem = stemmer?.stem(word) ?? word
      if (stems.size === STEMS_MAX) stems.clear()
      stems.set(word, stem)
      return stem
    },
  }
}

/** Languages by script, created lazily. */
const languagesByScript = new Map<string, Language[]>()
const languagesOf = (script: string): Language[] => {
  const known = languagesByScript.get(script)
  if (known) return known
  const languages = Object.entries(STOP_WORDS[script] ?? {}).map(([name, words]) =>
    createLanguage(name, words),
  )
  languagesByScript.set(script, languages)
  return languages
}

const scriptOf = (word: string): string | undefined => SCRIPTS.find(([, pattern]) => pattern.test(word))?.[0]

/** Returns the language with the most stop words among the words; of equal ones, the first. */
const bestOf = (languages: readonly Language[], words: readonly string[]): Language => {
  let best = OTHER
  let most = -1
  for (const language of languages) {
    const count = words.filter(language.isStopWord).length
    if (count > most) {
      most = count
      best = language
    }
  }
  return best
}

/** Detects one language per script in a text's folded words. Returns the language of a word. */
export const languagesIn = (words: readonly string[]): ((word: string) => Language) => {
  const byScript = new Map<string | undefined, string[]>()
  for (const word of words) {
    const script = scriptOf(word)
    const others = byScript.get(script)
    if (others) others.push(word)
    else byScript.set(script, [word])
  }
  const languages = new Map(
    [...byScript].map(([script, some]) => [script, bestOf(script ? languagesOf(script) : [], some)]),
  )
  return word => languages.get(scriptOf(word)) ?? OTHER
}
