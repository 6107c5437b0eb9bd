/** @module-tag long */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')
let folder: string
beforeAll(() => {
  // Inside this package, so that its dependencies can be resolved.
  folder = mkdtempSync(join(import.meta.dirname, '.app-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Builds an app of one script like `npm start`; rejects with the build's output. */
const build = async (define: 'defineShell' | 'defineRemote', script: string) => {
  const files = {
    'package.json':
      '{ "name": "@iodine/mfe-tried", "version": "1.0.0", "dependencies": { "react": "19.0.0" } }',
    'rsbuild.config.mjs': `import { ${define} } from '../../src/rsbuild.mjs'\nexport default ${define}(import.meta.dirname)`,
    'src/index.html': '<html><body></body></html>',
    'src/index.tsx': script,
    'src/parcel.tsx': script,
  }
  mkdirSync(join(folder, 'src'), { recursive: true })
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  const program = join(ROOT, 'tools/build-kit/src/build-apps.mjs')
  return promisify(execFile)(process.execPath, [program, '--force', relative(ROOT, folder)])
}

// Each build of the product covers the import of plain values of the contracts.
it.each(['defineShell', 'defineRemote'] as const)(
  '%s fails if a schema of the contracts is imported',
  async define => {
    const schema =
      "import { email } from '@iodine/contracts'\nconsole.log(email.parse('a@b'))\nexport default email"
    await expect(build(define, schema)).rejects.toThrow(/zod is in static\/js\/.*\.js/)
  },
)

it('keeps unchanged files of an app however old they are, and deletes unused ones after a day', async () => {
  const script = (text: string) => `
    import './main.css'
    import('./later').then(({ later }) => console.log(later, ${JSON.stringify(text)}))
    export const parcel = 1`
  mkdirSync(join(folder, 'src'), { recursive: true })
  writeFileSync(join(folder, 'src/later.ts'), `export const later = 'unchanged'`)
  writeFileSync(
    join(folder, 'src/shown.svg'),
    `<svg xmlns="http://www.w3.org/2000/svg">${' '.repeat(20_000)}</svg>`,
  )
  writeFileSync(join(folder, 'src/main.css'), 'body { background: url(./shown.svg) }')
  await build('defineShell', script('first'))
  const dist = join(folder, 'dist')
  const files = () =>
    readdirSync(dist, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => relative(dist, join(entry.parentPath, entry.name)))
      .sort()
  const before = files()
  const [unused, recent] = [join(dist, 'static/js/unused.js'), join(dist, 'static/js/recent.js')]
  writeFileSync(unused, '')
  const twoDaysAgo = Date.now() / 1_000 - 2 * 86_400
  for (const name of [...before, relative(dist, unused)]) utimesSync(join(dist, name), twoDaysAgo, twoDaysAgo)
  writeFileSync(recent, '')

  await build('defineShell', script('second'))
  expect([existsSync(unused), existsSync(recent)]).toEqual([false, true])
  const isOfScript = (name: string) => /static\/js\/index\./.test(name)
  const kept = before.filter(name => !isOfScript(name))
  expect(kept.filter(name => /\.(svg|css)$/.test(name)).length).toBeGreaterThan(1)
  expect(kept.filter(name => !files().includes(name))).toEqual([])
})
