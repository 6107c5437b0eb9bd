/** `http(s)` URLs in a text: they end before white space, quotation marks, and punctuation that ends a sentence. */
const URLS = /https?:\/\/[^\s<>"'`{}|\\^\u00a0\u3000「」『』（）【】《》]+/gi
const TAGS = /(?<![\p{L}\p{M}\p{N}_&/#])[#＃]([\p{L}\p{M}\p{N}_]{1,500})/gu
const MENTIONS = /(?<![\p{L}\p{M}\p{N}_@./])@([A-Za-z0-9_](?:[A-Za-z0-9_.]{0,498}[A-Za-z0-9_])?)/gu

const unique = (values: Iterable<string>): string[] => [...new Set(values)]

/** Removes what follows a URL in a sentence: punctuation, and a bracket that the URL does not open. */
const trimUrl = (url: string): string => {
  let trimmed = url
  for (;;) {
    const cut = trimmed.replace(/[.,;:!?…*_~]+$/, '')
    const opens = cut.split('(').length
    const closes = cut.split(')').length
    const bare = cut.endsWith(']') || (cut.endsWith(')') && closes > opens) ? cut.slice(0, -1) : cut
    if (bare === trimmed) return trimmed
    trimmed = bare
  }
}

/** Returns the `http(s)` URLs in a text, in order, each once. */
export const linksIn = (text: string): string[] =>
  unique([...text.matchAll(URLS)].map(([url]) => trimUrl(url)))

/** Returns the hashtags in a text without their sign, in order, each once. Numbers alone are none. */
export const hashtagsIn = (text: string): string[] =>
  unique(
    [...text.replace(URLS, ' ').matchAll(TAGS)].flatMap(([, tag = '']) =>
      /^[\p{N}_]+$/u.test(tag) ? [] : [tag],
    ),
  )

/** Returns the handles that a text mentions, without `@`, in order, each once. */
export const mentionsIn = (text: string): string[] =>
  unique([...text.replace(URLS, ' ').matchAll(MENTIONS)].map(([, handle = '']) => handle))
