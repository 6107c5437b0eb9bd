import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Blobs } from './blobs.js'

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'
const isOccupied = (error: unknown) =>
  ['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')

const sync = async (path: string): Promise<void> => {
  const handle = await open(path)
  await handle.sync().finally(() => handle.close())
}

/** Returns the paths of a blob's file and of its partial files, which a crash leaves behind. */
const filesOf = async (path: string): Promise<string[]> => {
  const folder = dirname(path)
  const name = basename(path)
  try {
    const names = await readdir(folder)
    return names.filter(each => each === name || each.startsWith(`${name}.`)).map(each => join(folder, each))
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Stores blobs as files, with a folder for each capture. */
export const createFileBlobs = (url: string): Blobs => {
  const root = fileURLToPath(url)
  const pathOf = (key: string) => join(root, key)
  return {
    async put(key, bytes) {
      const path = pathOf(key)
      const folder = dirname(path)
      await mkdir(folder, { recursive: true })
      // A file with the final name is always complete.
      const partial = `${path}.${randomUUID()}`
      try {
        const handle = await open(partial, 'wx')
        try {
          await handle.writeFile(bytes)
          await handle.sync()
        } finally {
          await handle.close()
        }
        await rename(partial, path)
      } catch (error) {
        await rm(partial, { force: true })
        throw error
      }
      await sync(folder)
      await sync(root)
    },
    async get(key) {
      try {
        return await readFile(pathOf(key))
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },
    async delete(keys) {
      for (const key of keys) for (const path of await filesOf(pathOf(key))) await rm(path, { force: true })
      for (const folder of new Set(keys.map(key => dirname(pathOf(key)))))
        await rmdir(folder).catch(error => {
          if (!isOccupied(error)) throw error
        })
    },
  }
}
