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

test('refuses a folder in use with the process that holds it, until its release', async () => {
  const release = await lockFolder(folder)
  await expect(lockFolder(folder, 200)).rejects.toThrow(`in use by process ${process.pid}`)
  release()
  expect(existsSync(join(folder, 'lock'))).toBe(false)
  ;(await lockFolder(folder))()
})

test('waits for a run that is stopping', async () => {
  const release = await lockFolder(folder)
  setTimeout(release, 300)
  ;(await lockFolder(folder, 60_000))()
})

test.each([
  ['of an ended process', '999999999 12345'],
  ['of an earlier process whose id is reused', `${process.pid} 1`],
  ['that a crash truncated', ''],
])('takes over a lock %s', async (_, content) => {
  writeFileSync(join(folder, 'lock'), content)
  ;(await lockFolder(folder, 0))()
})
