import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

const SECTION = /^mfe-[a-z0-9-]+$/
const VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/
/** Prefix of unfinished folders: names with a leading dot are never served. */
const UNFINISHED = '.unfinished-'
const LEFTOVER_MS = 3_600_000
const unfinishedIn = folder => join(folder, `${UNFINISHED}${randomBytes(6).toString('hex')}`)

/** An obstacle to publishing, with a message for the user of the command. */
export class PublishError extends Error {}

/** Returns the sections of the workspace: folders `mfe-*` with a package.json. */
export const listSections = async root =>
  (await publishedSections(root)).filter(name => existsSync(join(root, name, 'package.json')))

/**
 * Builds a section and publishes it as `<to>/<app>/<version>/`, with the version of its package.json. A
 * version that is already published must have the same content.
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
    const unfinished = unfinishedIn(folder)
    try {
      await mkdir(unfinished)
      await build(join(root, app), unfinished)
      const finished = join(folder, version)
      if (!existsSync(finished)) {
        // Synced before the rename: after a power cut, a folder with a version's name must be complete.
        for (const file of await filesOf(unfinished)) await save(join(unfinished, file))
        try {
          await rename(unfinished, finished)
          return { version, isNew: true }
        } catch (error) {
          // A concurrent command has published the version.
          if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
        } finally {
          await save(folder)
        }
      }
      if ((await digestOf(unfinished)) !== (await digestOf(finished)))
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
 * Switches the section to a published version; `undefined` switches back to the files that the gateway ships.
 * Rejects with a PublishError if the version is not published.
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
    if (!existsSync(folder)) return
    return writable(folder, () => rm(pointer, { force: true }))
  }
  await writable(folder, async () => {
    const unfinished = unfinishedIn(folder)
    await writeFile(unfinished, `${JSON.stringify({ version })}\n`, { flag: 'wx', mode: 0o644, flush: true })
    await rename(unfinished, pointer)
    await save(folder)
  })
}

/**
 * Returns a section's published versions, oldest first, and the one in use (undefined: the files that the gateway
 * ships).
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

/** Returns the sections with at least one published version in the folder. */
export const publishedSections = async to =>
  (await readdir(to).catch(() => [])).filter(name => SECTION.test(name)).sort()

async function build(cwd, folder) {
  try {
    // Loaded lazily: switching to an earlier version needs no installed packages.
    const { buildInto } = await import('./build-apps.mjs')
    await buildInto(cwd, folder)
  } catch (error) {
    throw new PublishError(`Building ${cwd} failed: ${error instanceof Error ? error.message : error}`)
  }
}

/** Runs the work in a folder, which is created if missing. */
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

/** Removes unfinished folders of killed commands. */
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

/** Returns the digest of the names and contents of all files below a folder. */
async function digestOf(folder) {
  const hash = createHash('sha256')
  for (const file of await filesOf(folder))
    hash.update(`${file}\0`).update(await readFile(join(folder, file)))
  return hash.digest('hex')
}

/** Syncs a file's content or a folder's entries to the disk. */
async function save(path) {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
