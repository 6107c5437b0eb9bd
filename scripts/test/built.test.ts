import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '@iodine/test-kit'
import { afterAll, expect, test } from 'vitest'

const { isBuilt, keepBuilt, sourcesState } = await import(new URL('../lib/built.mjs', import.meta.url).href)

const scratch = temporaryFolder()
afterAll(() => scratch.remove())

const write = (path: string, text: string) => {
  const file = join(scratch.path, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const build = () => {
  const sources = sourcesState(scratch.path)
  write('services/one/dist/index.js', '1')
  keepBuilt(sources, scratch.path)
}

for (const folder of ['packages', 'services', 'tools']) mkdirSync(join(scratch.path, folder))
write('services/one/package.json', '{}')
write('services/one/src/index.ts', '1')
write('pnpm-lock.yaml', '')

test('is not built before the first build', () => {
  expect(isBuilt(scratch.path)).toBe(false)
})

test('is built until an input or output file changes', () => {
  const changes: Record<string, () => void> = {
    'a source': () => write('services/one/src/index.ts', '2'),
    'a new source': () => write('services/one/src/new.ts', ''),
    'a source with its old time': () => {
      write('services/one/src/index.ts', '3')
      utimesSync(join(scratch.path, 'services/one/src/index.ts'), 1, 1)
    },
    'a removed source': () => rmSync(join(scratch.path, 'services/one/src/new.ts')),
    'the lock file': () => write('pnpm-lock.yaml', 'x'),
    'a new package': () => write('packages/two/package.json', '{}'),
    'a removed output': () => rmSync(join(scratch.path, 'services/one/dist'), { recursive: true }),
    'a changed output': () => write('services/one/dist/index.js', '22'),
  }
  for (const [name, change] of Object.entries(changes)) {
    build()
    expect(isBuilt(scratch.path), name).toBe(true)
    change()
    expect(isBuilt(scratch.path), name).toBe(false)
  }
})

test('is not built if a file changed during the build', () => {
  const sources = sourcesState(scratch.path)
  write('services/one/src/index.ts', 'changed meanwhile')
  keepBuilt(sources, scratch.path)
  expect(isBuilt(scratch.path)).toBe(false)
})

test('ignores installed packages and test results', () => {
  build()
  write('services/one/node_modules/x/index.js', '')
  write('services/one/test-results/x', '')
  expect(isBuilt(scratch.path)).toBe(true)
})
