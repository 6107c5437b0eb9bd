/** A font file of the page's style sheets. A worker does not share the page's fonts. */
export interface FontFile {
  family: string
  /** As in CSS, with absolute URLs. */
  source: string
  weight: string
  unicodeRange: string
}

/** Returns the fonts of this page or worker; undefined if the browser can't load fonts there. */
export const globalFonts = (): FontFaceSet | undefined =>
  (globalThis as { fonts?: FontFaceSet }).fonts ??
  (typeof document === 'undefined' ? undefined : document.fonts)

const unquoted = (family: string) => family.trim().replace(/^["']|["']$/g, '')

/**
 * Returns `families`, a list as in CSS, without families whose font file is not loaded yet. In a worker, Chromium
 * caches the font that it first finds for a list of families, even if a font file is loaded later. Do not use the whole
 * list before all files are loaded.
 */
export function loadedFamilies(families: string): string {
  const faces = [...(globalFonts() ?? [])].filter(({ status }) => status !== 'loaded')
  const awaited = new Set(faces.map(({ family }) => unquoted(family)))
  return families
    .split(',')
    .filter(family => !awaited.has(unquoted(family)))
    .join()
}

/**
 * Loads the files of `families`, a list as in CSS, that a text needs. It loads each family separately: a load of the
 * whole list rejects as soon as one file fails, such as a missing local font.
 * @param fontOf returns the font of one family, as in CSS
 */
export const loadFamilies = async (
  families: string,
  fontOf: (family: string) => string,
  text: string,
): Promise<void> => {
  const fonts = globalFonts()
  await Promise.allSettled(families.split(',').map(family => fonts?.load(fontOf(family), text)))
}

/** Returns the font files of the page's style sheets of the same origin. */
export const fontFiles = (): FontFile[] =>
  [...document.styleSheets].flatMap(sheet =>
    // The rules of a style sheet of another origin can't be read.
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

/** Registers the page's font files in this worker. A file is loaded when a text needs it. */
export function addFonts(files: readonly FontFile[]): void {
  const fonts = globalFonts()
  if (!fonts) return
  for (const { family, source, weight, unicodeRange } of files)
    fonts.add(new FontFace(family, source, { weight, unicodeRange }))
}
