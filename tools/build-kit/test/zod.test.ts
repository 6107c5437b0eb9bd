/** @module-tag long */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
