import type { ThreadComment } from '@iodine/contracts'

/** A part of a comment's text. */
export type TextPart = string | { text: string; url: string } | { text: string; user_id: string }

/** A URL without the punctuation that ends its sentence. */
const URLS = /https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}]/g

const withLinks = (text: string): TextPart[] => {
  const parts: TextPart[] = []
  let from = 0
  for (const { 0: url, index } of text.matchAll(URLS)) {
    if (index > from) parts.push(text.slice(from, index))
    parts.push({ text: url, url })
    from = index + url.length
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}

/** Splits a comment's content into text, URLs and mentions. */
export const partsOf = ({ content, mentions }: Pick<ThreadComment, 'content' | 'mentions'>): TextPart[] => {
  const parts: TextPart[] = []
  let from = 0
  for (const { user_id, start, end } of mentions) {
    parts.push(...withLinks(content.slice(from, start)), { text: content.slice(start, end), user_id })
    from = end
  }
  return [...parts, ...withLinks(content.slice(from))]
}

/** Returns the name that is typed after `@` before the caret, and the position of `@`; undefined elsewhere. */
export const typedMention = (text: string, caret: number): { name: string; start: number } | undefined => {
  const match = /(?<![\p{L}\p{N}_.@/-])@([A-Za-z0-9_]{1,20})$/u.exec(text.slice(0, caret))
  return match ? { name: match[1] as string, start: match.index } : undefined
}
