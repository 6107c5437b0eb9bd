import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'

const SECTION = /^mfe-[a-z0-9-]+$/
const VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/
/** Names that begin with a dot are never served: what is being written has such names. */
const UNFINISHED = '.unfinished-'
const LEFTOVER_MS = 3_600_000

/** What stands in the way, in words for whoever runs the command. */
export class PublishError extends Error {}

const isThere = path =>
  stat(path).then(
    () => true,
    () => false,
  )

/** Sections of the workspace: folders `mfe-*` that hold a package.json. */
export async function listSections(root) {
  const names = (await readdir(root)).filter(name => SECTION.test(name)).sort()
  const found = await Promise.all(names.map(name => isThere(join(root, name, 'package.json'))))
  return names.filter((_, index) => found[index])
}

/**
 * Builds a section and publishes it as `<to>/<app>/<version>/`, the version being its package.json's. A version that is
 * there already must have the same content.
 * @param {{ root: string, app: string, to: string }} options
 * @returns {Promise<{ version: string, isNew: boolean }>} rejects with a PublishError
 */
export async function publishSection({ root, app, to }) {
  const sections = await listSections(root)
  if (!sections.includes(app))
    throw new PublishError(`There is no section ${app} here. The sections are: ${sections.join(', ')}.`)
  const { version } = JSON.parse(await readFile(join(root, app, 'package.json'), 'utf8'))
  if (!VERSION.test(version ?? ''))
    throw new PublishError(
      `The version in ${app}/package.json is ${version}: give it three numbers, such as 1.4.0 or 1.4.0-rc.1.`,
    )
  const folder = join(to, app)
  return writable(folder, async () => {
    await removeLeftovers(folder)
    const unfinished = join(folder, `${UNFINISHED}${randomBytes(6).toString('hex')}`)
    try {
      await mkdir(unfinished)
      await build(join(root, app), unfinished)
      const finished = join(folder, version)
      if (!(await isThere(finished))) {
        await saveAll(unfinished)
        const isNew = await rename(unfinished, finished).then(
          () => true,
          error => {
            // Somebody else published it a moment ago.
            if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false
            throw error
          },
        )
        await save(folder)
        if (isNew) return { version, isNew }
      }
      if (!(await areSame(unfinished, finished)))
        throw new PublishError(
          `${app} ${version} is published already, with other content. Raise the version in ${app}/package.json.`,
        )
      return { version, isNew: false }
    } finally {
      await rm(unfinished, { recursive: true, force: true })
    }
  })
}

/**
 * Points the section to a published version, or with `undefined` back to the files that the gateway came with.
 * Rejects with a PublishError when that version isn't published.
 */
export async function useVersion({ app, to, version }) {
  const { versions } = await sectionState(to, app)
  if (version !== undefined && !versions.includes(version))
    throw new PublishError(
      `${app} ${version} is not published there. ${
        versions.length > 0 ? `Published: ${versions.join(', ')}.` : 'No version of it is.'
      }`,
    )
  const folder = join(to, app)
  const pointer = join(folder, 'current.json')
  if (version === undefined) {
    if (!(await isThere(folder))) return
    return writable(folder, () => rm(pointer, { force: true }))
  }
  await writable(folder, async () => {
    const unfinished = join(folder, `${UNFINISHED}${randomBytes(6).toString('hex')}`)
    const file = await open(unfinished, 'wx', 0o644)
    try {
      await file.writeFile(`${JSON.stringify({ version })}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(unfinished, pointer)
    await save(folder)
  })
}

/**
 * What is published of a section: its versions, oldest first, and the one in use (undefined: the gateway's own files).
 * @returns {Promise<{ versions: string[], current: string | undefined }>}
 */
export async function sectionState(to, app) {
  const folder = join(to, app)
  const names = await readdir(folder).catch(() => [])
  const versions = names
    .filter(name => VERSION.test(name))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  const current = await readFile(join(folder, 'current.json'), 'utf8')
    .then(text => JSON.parse(text).version)
    .catch(() => undefined)
  return { versions, current }
}

/** Sections of which something is published in the folder. */
export const publishedSections = async to =>
  (await readdir(to).catch(() => [])).filter(name => SECTION.test(name)).sort()

async function build(cwd, folder) {
  try {
    // Loaded here alone: going back to an earlier version needs nothing installed.
    const { buildInto } = await import('./build-apps.mjs')
    await buildInto(cwd, folder)
  } catch (error) {
    throw new PublishError(`Building ${cwd} failed: ${error instanceof Error ? error.message : error}`)
  }
}

/** Does the work in a folder, which is made where there is none. */
async function writable(folder, work) {
  try {
    await mkdir(folder, { recursive: true })
    return await work()
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOSPC'].includes(error.code))
      throw new PublishError(`${folder} cannot be written to (${error.code}).`)
    throw error
  }
}

/** What commands that were killed have left. */
async function removeLeftovers(folder) {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(UNFINISHED)) continue
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (found && found.mtimeMs < Date.now() - LEFTOVER_MS)
      await rm(join(folder, name), { recursive: true, force: true })
  }
}

async function filesOf(folder) {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  return entries
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
}

async function areSame(a, b) {
  const [ofA, ofB] = await Promise.all([filesOf(a), filesOf(b)])
  if (ofA.join('\n') !== ofB.join('\n')) return false
  for (const file of ofA)
    if (!(await readFile(join(a, file))).equals(await readFile(join(b, file)))) return false
  return true
}

/** What has a version's name is on the disk in whole, also after a power cut. */
async function saveAll(folder) {
  for (const file of await filesOf(folder)) await save(join(folder, file))
}

async function save(path) {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
