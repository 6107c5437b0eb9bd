import type { Category } from '@iodine/contracts'

/** Rules in order of precedence. `key` and `value` are lower-cased. */
const RULES: [category: Category, applies: (key: string, value: string) => boolean][] = [
  ['USERNAME', key => /username|author|unique_id/.test(key)],
  ['URL', key => /url|link|canonical/.test(key)],
  ['DOMAIN', key => /domain|host/.test(key)],
  ['HASHTAGS', (key, value) => key.includes('hashtag') || value.startsWith('#')],
  ['KEYWORDS', key => key.includes('keyword')],
  ['COMPANY', key => /company|publisher/.test(key)],
  ['FULL_NAME', key => key.includes('name')],
  ['TITLE', key => key.includes('title')],
  ['URL', (_, value) => /\.com|http/.test(value)],
]

/**
 * Suggests a category for a value, by the last key of its `path` ('author.author_unique_id') and by the value. Keys of
 * counts are ignored. Properties of a publisher are companies.
 */
export function suggestCategory(path: string, value: string): Category {
  const [last = '', parent] = path.toLowerCase().split('.').reverse()
  if (parent === 'publisher') return 'COMPANY'
  const key = /(^|_)count$/.test(last) ? '' : last
  const text = value.trim().toLowerCase()
  return RULES.find(([, applies]) => applies(key, text))?.[0] ?? 'SENTENCE'
}
