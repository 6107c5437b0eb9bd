import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  campaignsApi,
  capturesApi,
  collectorApi,
  communityApi,
  graphApi,
  iodsApi,
  narrativesApi,
  profileApi,
  sealsApi,
  systemApi,
} from '@iodine/contracts'
import { verifyCheckpoint } from '@iodine/evidence'
import {
  type ApiClient,
  apiClient,
  iodInput,
  NO_LIMITS,
  sealCapture,
  signUp,
  startAiProvider,
  startMailCatcher,
  temporaryFolder,
  tiktokPost,
} from '@iodine/test-kit'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { backup, restore } from '../src/backup.js'
import { type Stack, startStack } from '../src/index.js'
import { rebuild } from '../src/rebuild.js'

const folder = temporaryFolder()
const at = (name: string) => join(folder.path, name)
let env: Record<string, string>
let mail: Awaited<ReturnType<typeof startMailCatcher>>
let ai: Awaited<ReturnType<typeof startAiProvider>>

beforeAll(async () => {
  mail = await startMailCatcher()
  ai = await startAiProvider()
  env = { PORT: '0', ...NO_LIMITS, SMTP_URL: mail.url, OPENAI_BASE_URL: ai.url }
})
afterAll(async () => {
  await Promise.all([mail?.stop(), ai?.stop()])
  folder.remove()
})

/** All data that a user can see. */
const served = async (api: ApiClient, userId: string) => ({
  iods: await api.call(iodsApi.listIods),
  narratives: await api.call(narrativesApi.listNarratives),
  campaigns: await api.call(campaignsApi.listCampaigns),
  graph: await api.call(graphApi.getTriplets),
  records: await api.call(collectorApi.listRecords, { params: { source: 'tiktok' } }),
  profile: await api.call(communityApi.getUser, { params: { id: userId } }),
})

const captured = async (api: ApiClient, text: string) => (await sealCapture(api.call, { text })).id
const textsOf = (api: ApiClient, ids: readonly string[]) =>
  Promise.all(ids.map(async id => (await api.call(capturesApi.getCaptureText, { params: { id } })).text))

test('a backup, of a product in use or stopped, restores into an empty folder what had been acknowledged', async () => {
  const on = (name: string) => ({ ...env, DATA_DIR: at(name) })
  let stack: Stack = await startStack({ env: on('first') })
  const { token, id: userId, api } = await signUp({ url: stack.url, mail }, 'ana@example.org', 'ana')
  await api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-kept' } })
  const text = 'They hide the numbers. Nobody asks why.'
  await api.call(narrativesApi.createNarrative, { body: { text } })
  await api.call(collectorApi.ingestRecords, {
    params: { source: 'tiktok' },
    body: { records: [tiktokPost()] },
  })
  await api.call(campaignsApi.createCampaign, { body: { name: 'Kept' } })
  const captures = [await captured(api, 'Giant mirrors'), await captured(api, 'heat the lake')]

  const acknowledged: string[] = []
  let inUse = true
  /** Makes and erases captures while they are copied. */
  const passing = async () => {
    for (let n = 0; inUse; n++) {
      const id = await captured(api, `passing ${n}`)
      await api.call(capturesApi.deleteCapture, { params: { id } })
    }
  }
  const load = Promise.all([
    passing(),
    ...Array.from({ length: 4 }, async () => {
      while (inUse) acknowledged.push((await api.call(iodsApi.createIod, { body: iodInput() })).id)
    }),
  ])
  await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(30), 60_000)
  const certain = [...acknowledged]
  await backup(on('first'), at('hot'))
  const between = acknowledged.length - certain.length
  await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(certain.length + between + 20), 60_000)
  inUse = false
  await load
  await stack.stop()
  expect(between).toBeGreaterThan(0)
  expect(readdirSync(at('hot')).sort()).toEqual([
    'backup.json',
    'blobs',
    'embedded-mongo',
    'jwt-private-key',
    'redis',
    'seal-private-key',
    'secrets-key',
  ])
  expect([statSync(at('hot')).mode & 0o777, statSync(join(at('hot'), 'secrets-key')).mode & 0o777]).toEqual([
    0o700, 0o600,
  ])

  await expect(restore(on('first'), at('hot'))).rejects.toThrow('is not empty')
  expect(await restore(on('second'), at('hot'))).toMatchObject({ running: true })
  stack = await startStack({ env: on('second') })
  // The session, the AI key and the links still work.
  const again = apiClient(stack.url, token)
  expect(await rebuild('community', on('second'))).toBe(true)
  const before = await served(again, userId)
  const ids = before.iods.map(({ id }) => id)
  expect(certain.filter(id => !ids.includes(id))).toEqual([])
  expect(ids.filter(id => !acknowledged.includes(id))).toEqual([])
  expect(before.profile.total_iods).toBe(ids.length)
  expect([before.narratives[0]?.text, before.campaigns[0]?.name, before.records.length]).toEqual([
    text,
    'Kept',
    1,
  ])
  expect(before.graph.nodes.length).toBeGreaterThan(0)
  expect(await textsOf(again, captures)).toEqual(['Giant mirrors', 'heat the lake'])
  // The log goes on with the same key.
  const [{ public_key = '' } = {}, ...others] = await again.call(sealsApi.getSealKeys)
  await captured(again, 'after the restore')
  const checkpoint = await again.call(sealsApi.getCheckpoint)
  expect([others, checkpoint.size > captures.length]).toEqual([[], true])
  expect(await verifyCheckpoint(checkpoint, public_key)).toBe(true)
  await again.call(narrativesApi.createNarrative, { body: { text: 'They hide it again.' } })
  expect(ai.requests.at(-1)?.key).toBe('sk-kept')

  const shown = await vi.waitFor(async () => {
    const now = await served(again, userId)
    expect(now.profile.total_narratives).toBe(2)
    return now
  }, 60_000)
  await stack.stop()
  await backup(on('second'), at('cold'))
  expect(await restore(on('third'), at('cold'))).toMatchObject({ running: false })
  stack = await startStack({ env: on('third') })
  expect(await served(apiClient(stack.url, token), userId)).toEqual(shown)
  expect(await textsOf(apiClient(stack.url, token), captures)).toEqual(['Giant mirrors', 'heat the lake'])
  await stack.stop()
}, 240_000)

test('what can’t be backed up or restored is refused with the reason, and nothing is written', async () => {
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      error => `${error.name}: ${error.message}`,
    )
  const on = (name: string, more = {}) => ({ ...env, DATA_DIR: at(name), ...more })
  expect(await refusal(backup(on('nowhere'), at('out')))).toMatch(/BackupRefusal: .* holds no data/)
  const given = { MONGODB_URI: 'mongodb://127.0.0.1:1/?replicaSet=x' }
  expect(await refusal(backup(on('third', given), at('out')))).toMatch(/BackupRefusal: MONGODB_URI/)
  const elsewhere = on('third', { BLOBS_URL: 'file:///srv/blobs' })
  expect(await refusal(backup(elsewhere, at('out')))).toMatch(/BackupRefusal: BLOBS_URL/)
  expect(await refusal(backup(on('third'), at('cold')))).toMatch(/BackupRefusal: .* is not empty/)
  expect(await refusal(backup(on('third'), join(at('third'), 'backup')))).toMatch(/lies within DATA_DIR/)
  expect(existsSync(at('out'))).toBe(false)

  expect(await refusal(restore(on('new'), at('third')))).toMatch(/is no complete backup/)
  const data = join(at('cold'), 'embedded-mongo', 'data.mdb')
  const bytes = readFileSync(data)
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(data, bytes)
  expect(await refusal(restore(on('new'), at('cold')))).toMatch(
    /The backup is damaged: embedded-mongo\/data\.mdb/,
  )
  mkdirSync(at('new'), { recursive: true })
  expect(readdirSync(at('new'))).toEqual([])
})

test('administrators see a backup of the running product, and one of the stopped product after its next start', async () => {
  const on = { ...env, DATA_DIR: at('noted'), ADMIN_EMAILS: 'boss@example.org' }
  let stack = await startStack({ env: on })
  const { token, api } = await signUp({ url: stack.url, mail }, 'boss@example.org', 'boss')
  await backup(on, at('noted-hot'))
  const [hot] = await api.call(systemApi.listBackups)
  expect(Date.now() - Date.parse(hot?.made_at ?? '')).toBeLessThan(60_000)
  expect(hot?.bytes).toBeGreaterThan(10_000)
  await stack.stop()
  await backup(on, at('noted-cold'))
  expect(readdirSync(at('noted-cold'))).not.toContain('backup-done.json')
  stack = await startStack({ env: on })
  const backups = await apiClient(stack.url, token).call(systemApi.listBackups)
  expect([backups.length, backups[1]]).toEqual([2, hot])
  expect(existsSync(join(at('noted'), 'backup-done.json'))).toBe(false)
  await stack.stop()
}, 120_000)
