/** The evaluations and HTML insertions of each library, as `[text, replacement]`. */
const REPLACED = [
  // zod compiles validators unless `jitless`, which background.ts sets.
  [/\bconst F = Function;/g, 'const F = undefined;'],
  // React's `dangerouslySetInnerHTML`, which no page of the extension uses.
  [/\(domElement\.innerHTML = key\)/g, '(domElement.textContent = key)'],
]

/** Removes the evaluation of texts from a library's module. @throws Error if the module has none: the library changed */
module.exports = function withoutEvaluation(source) {
  const [pattern, replacement] = REPLACED.find(([text]) => source.search(text) >= 0) ?? []
  if (!pattern) throw new Error(`${this.resourcePath} evaluates no text: adapt build/without-evaluation.cjs`)
  return source.replace(pattern, replacement)
}
