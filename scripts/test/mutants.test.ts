import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

it('each fault of `npm run mutants` matches its file once and names existing tests', () => {
  const faults: { file: string; fault: string; from: string; to: string; tests: string[] }[] = JSON.parse(
    read('scripts/mutants.json'),
  )
  const stale = faults.filter(
    ({ file, from, to, tests }) =>
      from === to ||
      !existsSync(join(ROOT, file)) ||
      read(file).split(from).length !== 2 ||
      tests.length === 0 ||
      !tests.every(test => existsSync(join(ROOT, test)) && !read(test).includes('@module-tag long')),
  )
  expect(stale).toEqual([])
})
