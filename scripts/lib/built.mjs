import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packages } from './packages.mjs'
import { root } from './run.mjs'

const SHARED = ['package.json', 'pnpm-lock.yaml', 'node_modules/.cache/iodine/install']
const NOT_A_FILE_OF_IT = new Set(['node_modules', '.cache', '.data', 'test-results', 'playwright-report'])

const stampFile = folder => join(folder, 'node_modules/.cache/iodine/built')

/** Returns a digest of the path, size and times of each file, without reading the files. */
const stateOf = (folder, paths) => {
  const hash = createHash('sha256').update(`${folder} ${process.version} ${process.env.NODE_ENV}`)
  for (const path of paths) {
    const found = statSync(join(folder, path), { throwIfNoEntry: false })
    hash.update(`\0${path} ${found?.size} ${found?.mtimeMs} ${found?.ctimeMs}`)
  }
  return hash.digest('hex')
}

/** Returns the files of all packages that a build reads, or that it writes. */
const filesOf = (folder, isOutput) => {
  const found = []
  const visit = (path, within) => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const { name } = entry
      if (NOT_A_FILE_OF_IT.has(name)) continue
      const here = within || name === 'dist'
      if (entry.isDirectory()) {
        if (isOutput || !here) visit(join(path, name), here)
      } else if (here === isOutput) found.push(join(path, name))
    }
  }
  for (const each of packages(folder)) visit(each, false)
  return found.sort()
}

/** Returns the digest of all files that a build reads. */
export const sourcesState = (folder = root) => stateOf(folder, [...SHARED, ...filesOf(folder, false)])
const outputsState = folder => stateOf(folder, filesOf(folder, true))

/**
 * Returns whether the last build is up to date, and its output unchanged. Compiler and bundler check more
 * thoroughly, but take seconds.
 */
export const isBuilt = (folder = root) => {
  let kept
  try {
    kept = readFileSync(stampFile(folder), 'utf8')
  } catch {
    return false
  }
  return kept === `${sourcesState(folder)} ${outputsState(folder)}`
}

/** Stores the state of a finished build. `sources` is the digest at its start. */
export const keepBuilt = (sources, folder = root) => {
  const file = stampFile(folder)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${sources} ${outputsState(folder)}`)
}
