/**
 * Parses a URL. Returns undefined for any other text. `URL.canParse` must not be used: in Node 20.20, once it is
 * optimized, it rejects URLs whose only non-ASCII characters are of Latin-1, such as `https://bücher.example/`.
 * @param base of a relative URL
 */
export const parseUrl = (text: string, base?: string): URL | undefined => {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
