import { VALUE_KINDS, type ValueKind } from '@iodine/contracts'
import { countedValue, valuesIn } from '@iodine/service-kit'

/** Counted values of an IOD, at most. */
const TERMS_MAX = 20

/** Kinds of the values of some categories. */
const KIND_OF: Record<string, ValueKind> = {
  URL: 'domain',
  DOMAIN: 'domain',
  USERNAME: 'account',
  HASHTAGS: 'hashtag',
}

/** Returns the stored form of a value, by which lists are filtered: kind and value. */
export const termOf = (kind: ValueKind, value: string): string =>
  `${kind} ${countedValue(kind, value) ?? value}`

/** Returns the kind and the value of a stored term. */
export const partsOf = (term: string): { kind: ValueKind; value: string } => {
  const kind = VALUE_KINDS.find(each => term.startsWith(`${each} `)) ?? 'domain'
  return { kind, value: term.slice(kind.length + 1) }
}

interface Texts {
  value: string
  category: string
  description: string
}

/** Returns the terms of an IOD: the domains, hashtags and accounts that its value and description contain. */
export const termsOf = ({ value, category, description }: Texts): string[] => {
  const terms = new Set<string>()
  const kind = KIND_OF[category]
  if (kind)
    for (const part of kind === 'hashtag' ? value.split(/[\s,;]+/) : [value.trim()]) {
      const counted = part && countedValue(kind, part)
      if (counted) terms.add(`${kind} ${counted}`)
    }
  for (const text of [value, description])
    for (const found of valuesIn(text)) terms.add(`${found.kind} ${found.value}`)
  return [...terms].slice(0, TERMS_MAX)
}
