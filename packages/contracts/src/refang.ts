/** Opening and closing brackets around what was made harmless: `[.]`, `(dot)`, `{at}`. */
const bracketed = (inner: string): RegExp => new RegExp(`\\s?[[({]\\s?(?:${inner})\\s?[\\])}]\\s?`, 'gi')

const RULES: readonly (readonly [RegExp, string])[] = [
  [bracketed(':\\s?//'), '://'],
  [bracketed('\\.|dot|punkt|point'), '.'],
  [bracketed('@|at'), '@'],
  [bracketed(':'), ':'],
  [bracketed('/'), '/'],
  [/\bh(?:xx|\*\*|__)p(s?)(?=:)/gi, 'http$1'],
  [/\bfxp(?=:)/gi, 'ftp'],
  [/\\(?=[.:/@])/g, ''],
]

/**
 * The addresses of a text as they were before they were defanged, so that nobody follows them by mistake: `hxxp`,
 * `[.]`, `(dot)`, `[:]//`, `[at]`. Other text stays. For searches: stored texts are not changed.
 */
export const refang = (text: string): string =>
  RULES.reduce((changed, [pattern, by]) => changed.replace(pattern, by), text)
