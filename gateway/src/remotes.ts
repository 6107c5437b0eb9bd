import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserConfig, RemotesTable } from '@iodine/contracts'
import { z } from 'zod'
import type { GatewayConfig } from './config.js'

const REMOTE = /^mfe-[a-z0-9-]+$/
const VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/

const pointer = z.object({ version: z.string().regex(VERSION) })
const sectionFile = z.object({ label: z.string().min(1).max(60) })

/** A section's built files: their folder, and the path they are served at. */
interface Remote {
  /** 'mfe-iods' */
  name: string
  folder: string
  path: string
}

const read = async (file: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return undefined
  }
}
const isBuilt = (folder: string) =>
  stat(join(folder, 'mf-manifest.json')).then(
    found => found.isFile(),
    () => false,
  )
const remotesIn = async (folder: string) =>
  (await readdir(folder).catch(() => [])).filter(name => REMOTE.test(name))

/**
 * Finds the current remotes: those of WEB_ROOT, or the versions that REMOTES_ROOT points to instead. Each
 * request looks them up, as sections are built, deployed or switched while the gateway runs.
 */
export const findRemotes = ({ WEB_ROOT, REMOTES_ROOT }: GatewayConfig) => {
  const bundled = (name: string): Remote => ({
    name,
    folder: join(WEB_ROOT, name, 'dist'),
    path: `/remotes/${name}`,
  })
  /** Returns the version in use; undefined if there is none or the pointer names a missing version. */
  const deployed = async (name: string): Promise<Remote | undefined> => {
    if (!REMOTES_ROOT) return undefined
    const { data } = pointer.safeParse(await read(join(REMOTES_ROOT, name, 'current.json')))
    const folder = data && join(REMOTES_ROOT, name, data.version)
    if (!folder || !(await isBuilt(folder))) return undefined
    return { name, folder, path: `/remotes/${name}/${data.version}` }
  }
  const all = async (): Promise<Remote[]> => {
    const names = new Set([
      ...(await remotesIn(WEB_ROOT)),
      ...(REMOTES_ROOT ? await remotesIn(REMOTES_ROOT) : []),
    ])
    const found = await Promise.all(
      [...names].sort().map(async name => {
        const inUse = await deployed(name)
        if (inUse) return inUse
        return (await isBuilt(bundled(name).folder)) ? bundled(name) : undefined
      }),
    )
    return found.filter(remote => remote !== undefined)
  }
  const globalName = (name: string) => name.replaceAll('-', '_')
  return {
    async table(): Promise<RemotesTable> {
      return Object.fromEntries(
        (await all()).map(({ name, path }) => [globalName(name), `${path}/mf-manifest.json`]),
      )
    },
    /** Returns the remotes that have a label for the menu. */
    async sections(): Promise<BrowserConfig['sections']> {
      const found = (await all()).map(async ({ name, folder }) => {
        const { data } = sectionFile.safeParse(await read(join(folder, 'section.json')))
        return data ? [{ id: name.replace('mfe-', ''), label: data.label, remote: globalName(name) }] : []
      })
      return (await Promise.all(found)).flat()
    },
    /** Resolves a path below `/remotes/` to a folder and a path in it; undefined for an unknown remote. */
    locate(remote: string, file: string): { root: string; file: string } | undefined {
      if (!REMOTE.test(remote)) return undefined
      const [version = ''] = file.split('/', 1)
      if (REMOTES_ROOT && VERSION.test(version)) return { root: join(REMOTES_ROOT, remote), file }
      return { root: bundled(remote).folder, file }
    },
  }
}
