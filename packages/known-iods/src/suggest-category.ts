import type { Category } from '@iodine/contracts'

/** The first matching rule wins. `key` and `value` are lower-cased. */
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
 * The category to suggest for a value, by the last key of its `path` ('author.author_unique_id') and the
 * value. The key of a count says nothing of its value, and what a publisher has is a company's.
 */
export function suggestCategory(path: string, value: string): Category {
  const [last = '', parent] = path.toLowerCase().split('.').reverse()
  if (parent === 'publisher') return 'COMPANY'
  const key = /(^|_)count$/.test(last) ? '' : last
  const text = value.trim().toLowerCase()
  return RULES.find(([, applies]) => applies(key, text))?.[0] ?? 'SENTENCE'
}
