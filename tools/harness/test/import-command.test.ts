import { spawn } from 'node:child_process'
import { copyFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { collectorApi, profileApi, recordImportsApi, type Source } from '@iodine/contracts'
import { type ApiClient, temporaryFolder } from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'

const ROOT = join(import.meta.dirname, '../../..')
const SAMPLES = join(ROOT, 'packages/imports/test/samples')

let app: TestApp
let api: ApiClient
let token: string
let folder: string
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.stop())
beforeEach(async () => {
  ;({ api } = await app.signUp())
  ;({ token } = await api.call(profileApi.createApiToken, {
    body: {
      name: 'Imports',
      scopes: ['collect'],
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    },
  }))
  const { path, remove } = temporaryFolder()
  folder = path
  return remove
})

/** Copies a sample, whose time is that of its expectation. */
const sample = (name: string): string => {
  const file = join(folder, name)
  copyFileSync(join(SAMPLES, name), file)
  const time = new Date('2025-11-20T09:00:00.000Z')
  utimesSync(file, time, time)
  return file
}
const run = (args: string[], env: Record<string, string> = { IODINE: app.url, TOKEN: token }) =>
  new Promise<{ code: number | null; output: string }>((done, fail) => {
    const child = spawn(process.execPath, ['scripts/import.mjs', ...args], {
      cwd: ROOT,
      env: { ...process.env, INIT_CWD: folder, IODINE: '', TOKEN: '', ...env },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', data => (output += data))
    child.on('error', fail).on('close', code => done({ code, output }))
  })
const list = (source: Source) => api.call(collectorApi.listRecords, { params: { source } })
const imports = () => api.call(recordImportsApi.listRecordImports, { query: {} })

it('imports a file once, also if it is repeated or continued', async () => {
  const file = sample('zeeschuimer-tiktok.ndjson')
  const { code, output } = await run([file])
  expect([code, output]).toEqual([0, expect.stringContaining('2 created, 0 merged, 0 unchanged')])
  expect(await list('tiktok')).toHaveLength(2)
  const again = await run([file])
  expect([again.code, again.output]).toEqual([0, expect.stringContaining('0 created, 0 merged, 2 unchanged')])
  const [first] = await imports()
  const resumed = await run([file, '--resume', first?.id ?? ''])
  expect([resumed.code, resumed.output]).toEqual([0, expect.stringContaining('2 unchanged')])
  expect(await imports()).toHaveLength(2)
})

it('prints what a file contains, and sends nothing', async () => {
  const { code, output } = await run([sample('zeeschuimer-twitter.ndjson'), '--plan'], {})
  expect([code, output]).toEqual([0, expect.stringContaining('Format: zeeschuimer\n3 records')])
  expect(await imports()).toEqual([])
})

it('asks for what a file leaves open, and reads the answers', async () => {
  const file = sample('telegram-scraper.json')
  const asked = await run([file])
  expect([asked.code, asked.output]).toEqual([2, expect.stringContaining('Answer channel in a JSON file')])
  writeFileSync(join(folder, 'answers.json'), JSON.stringify({ channel: 'lanternay_example' }))
  const { code } = await run(['telegram-scraper.json', '--answers', 'answers.json'])
  expect([code, (await list('telegram')).length]).toEqual([0, 2])
})

it('states in a sentence why it failed', { tags: 'long' }, async () => {
  const picture = join(folder, 'picture.jpg')
  writeFileSync(picture, Uint8Array.of(0xff, 0xd8, 0xff))
  expect((await run([picture])).code).toBe(2)
  const file = sample('zeeschuimer-tiktok.ndjson')
  const failures = [
    [await run(['nothing.csv']), 'nothing.csv does not exist.'],
    [await run([]), 'Usage: npm run import'],
    [await run([file], {}), 'Set IODINE'],
    [await run([file], { IODINE: app.url, TOKEN: 'iodine_api_no' }), '401: '],
    [await run([file], { IODINE: 'http://127.0.0.1:9', TOKEN: token }), 'does not answer'],
  ] as const
  for (const [{ code, output }, text] of failures)
    expect([code, output]).toEqual([1, expect.stringContaining(text)])
})
