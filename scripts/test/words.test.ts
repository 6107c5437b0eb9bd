import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Terms that must not return, each with the term to use. CONTRIBUTING.md has the rules. */
const TERMS: readonly [unwanted: RegExp, use: string][] = [
  [/\bpatience\b/i, 'timeout'],
  [/\bowed\b/i, 'pending'],
  [/\banew\b/i, 'again'],
  [/\bmended\b/i, 'fixed'],
  [/\btellings?\b/i, 'first appearance, occurrence'],
  [/\bhand(s|ed)? (out|over)\b/i, 'deliver, forward, issue'],
  [/\b(take|taken|took|takes) back\b/i, 'retract, remove, roll back'],
  [/\brechecks?\b/i, 'retry'],
  [/\b(whoever|somebody)\b/i, 'the name of the part or role'],
  [/\bno(body’s|body's)\b/i, 'unowned, anonymous'],
  [/\bin line with\b/i, 'rebuild the projection'],
  [/\b(service)?(bed|rig)s?\b/i, 'fixture, test server'],
  [/Least shares|Lives for|Make an? (API )?(token|key)\b|Gather my data|Kept objects/, 'the term on screen'],
  [/URL\.canParse/, 'parseUrl'],
  [/Links away|Hashes of looks|Counts in Origins/, 'the term on screen'],
]

/** Files whose texts are content, not ours. */
const CONTENT = /^packages\/(demo|canon|likeness)\/|\/samples\/|words\.test\.ts$|CHANGELOG\.md$/
/** Parts of lines in which a term has its true meaning. */
const TRUE_MEANING = /'nobody’s'|Somebody tells|`URL\.canParse` must not be used/

it('texts use the standard terms', () => {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs', '*.md'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const found: string[] = []
  for (const file of files.split('\n').filter(name => name && !CONTENT.test(name)))
    for (const [index, line] of readFileSync(join(ROOT, file), 'utf8').split('\n').entries()) {
      if (TRUE_MEANING.test(line)) continue
      for (const [unwanted, use] of TERMS)
        if (unwanted.test(line)) found.push(`${file}:${index + 1}: ${unwanted.exec(line)?.[0]} → ${use}`)
    }
  expect(found).toEqual([])
})
