import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockFolder } from '../src/lock.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'iodine-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a folder in use is refused with the process that holds it, and free again when given back', async () => {
  const release = await lockFolder(folder)
  await expect(lockFolder(folder, 200)).rejects.toThrow(`in use by process ${process.pid}`)
  release()
  expect(existsSync(join(folder, 'lock'))).toBe(false)
  ;(await lockFolder(folder))()
})

test('it waits for a run that is just stopping', async () => {
  const release = await lockFolder(folder)
  setTimeout(release, 300)
  ;(await lockFolder(folder, 60_000))()
})

test.each([
  ['of a process that has gone', '999999999 12345'],
  ['of an earlier process with an id that lives again', `${process.pid} 1`],
  ['that was cut short by a crash', ''],
])('a lock %s is taken over', async (_, content) => {
  writeFileSync(join(folder, 'lock'), content)
  ;(await lockFolder(folder, 0))()
})
