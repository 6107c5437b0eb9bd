/** A font file of the page's style sheets, for use in a worker, which does not have the page's fonts. */
export interface FontFile {
  family: string
  /** As in CSS, with absolute addresses. */
  source: string
  weight: string
  unicodeRange: string
}

/** The fonts of this page or worker; undefined if the browser has no way to load fonts there. */
export const fontsHere = (): FontFaceSet | undefined =>
  (globalThis as { fonts?: FontFaceSet }).fonts ??
  (typeof document === 'undefined' ? undefined : document.fonts)

const unquoted = (family: string) => family.trim().replace(/^["']|["']$/g, '')

/**
 * `families`, a list as in CSS, without those that have a file which is not loaded. In a worker, Chromium goes on
 * with the font that it first found for a list of families, even after a file of theirs has been loaded: the whole
 * list must not be used before.
 */
export function loadedFamilies(families: string): string {
  const faces = [...(fontsHere() ?? [])].filter(({ status }) => status !== 'loaded')
  const awaited = new Set(faces.map(({ family }) => unquoted(family)))
  return families
    .split(',')
    .filter(family => !awaited.has(unquoted(family)))
    .join()
}

/**
 * Loads the files of `families`, a list as in CSS, that a text needs. Each family is loaded by itself: a load of the list
 * rejects as soon as one file fails, such as a local font that this system lacks, while the others' are under way.
 * @param fontOf returns the font of one family, as in CSS
 */
export const loadFamilies = async (
  families: string,
  fontOf: (family: string) => string,
  text: string,
): Promise<void> => {
  const fonts = fontsHere()
  await Promise.allSettled(families.split(',').map(family => fonts?.load(fontOf(family), text)))
}

/** The font files of the page's own style sheets. */
export const fontFiles = (): FontFile[] =>
  [...document.styleSheets].flatMap(sheet =>
    // The rules of another origin's style sheet can't be read.
    [
      ...(new URL(sheet.href ?? '', document.baseURI).origin === location.origin ? sheet.cssRules : []),
    ].flatMap(rule => {
      if (!(rule instanceof CSSFontFaceRule)) return []
      const { style } = rule
      const base = sheet.href ?? document.baseURI
      return {
        family: unquoted(style.getPropertyValue('font-family')),
        source: style
          .getPropertyValue('src')
          .replace(/url\("?([^")]+)"?\)/g, (_, path) => `url("${new URL(path, base)}")`),
        weight: style.getPropertyValue('font-weight') || 'normal',
        unicodeRange: style.getPropertyValue('unicode-range') || 'U+0-10FFFF',
      }
    }),
  )

/** Makes the page's font files known in this worker. A file is loaded when a text needs it. */
export function addFonts(files: readonly FontFile[]): void {
  const fonts = fontsHere()
  if (!fonts) return
  for (const { family, source, weight, unicodeRange } of files)
    fonts.add(new FontFace(family, source, { weight, unicodeRange }))
}
