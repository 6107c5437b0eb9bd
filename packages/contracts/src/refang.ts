/** Returns an expression for a defanged part in brackets: `[.]`, `(dot)`, `{at}`. */
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
 * Restores defanged URLs and addresses in a text: `hxxp`, `[.]`, `(dot)`, `[:]//`, `[at]`. Other text is unchanged. For
 * searches: stored texts are not changed.
 */
export const refang = (text: string): string =>
  RULES.reduce((changed, [pattern, by]) => changed.replace(pattern, by), text)
