import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import {
  auditApi,
  type BackupFault,
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
import { auditLog, rebuild } from '../src/commands.js'
import { type Stack, startStack } from '../src/index.js'

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

/** Reads all data that a user can see. */
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

/** Runs `npm run audit-log -- verify`. Resolves to its exit code, the reported end of the log, and its output. */
const verifyLog = async (env: Record<string, string>, ...noted: string[]) => {
  const output: string[] = []
  const code = await auditLog(['verify', ...noted], env, line => void output.push(line))
  const [end = ''] = /\d+:[0-9a-f]{64}$/.exec(output.join('\n')) ?? []
  return { code, end, output: output.join('\n') }
}
const deletedIn = async (api: ApiClient) =>
  (await api.call(auditApi.listAudit, { query: { action: ['campaign.deleted'] } })).map(
    ({ subject }) => subject.id,
  )

test('a backup of a running or stopped product restores all acknowledged data into an empty folder', {
  tags: 'long',
  timeout: 240_000,
}, async () => {
  const on = (name: string) => ({ ...env, DATA_DIR: at(name), ADMIN_EMAILS: 'ana@example.org' })
  let stack: Stack = await startStack({ env: on('first') })
  const { token, id: userId, api } = await signUp({ url: stack.url, mail }, 'ana@example.org', 'ana')
  await api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-kept' } })
  const text = 'They hide the numbers. Nobody asks why.'
  await api.call(narrativesApi.createNarrative, { body: { text } })
  await api.call(collectorApi.ingestRecords, {
    params: { source: 'tiktok' },
    body: { records: [tiktokPost()] },
  })
  const create = (name: string) => api.call(campaignsApi.createCampaign, { body: { name } })
  const remove = (id: string) => api.call(campaignsApi.deleteCampaign, { params: { id } })
  // Each has a separate entry in the audit log, which is limited to 50 a day.
  const deletedCampaigns = await Promise.all(Array.from({ length: 48 }, (_, n) => create(`Passing ${n}`)))
  await create('Kept')
  const captures = [await captured(api, 'Giant mirrors'), await captured(api, 'heat the lake')]

  const acknowledged: string[] = []
  let inUse = true
  /** Creates and erases captures during the copy. */
  const churnCaptures = async () => {
    for (let n = 0; inUse; n++) {
      const id = await captured(api, `passing ${n}`)
      await api.call(capturesApi.deleteCapture, { params: { id } })
    }
  }
  const removed: string[] = []
  const removing = async () => {
    for (const { id } of deletedCampaigns.slice(0, 45)) {
      await remove(id)
      removed.push(id)
      const then = acknowledged.length + 2
      await vi.waitFor(() => expect(acknowledged.length >= then || !inUse).toBe(true), 60_000)
    }
  }
  const load = Promise.all([
    churnCaptures(),
    removing(),
    ...Array.from({ length: 4 }, async () => {
      while (inUse) acknowledged.push((await api.call(iodsApi.createIod, { body: iodInput() })).id)
    }),
  ])
  await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(30), 60_000)
  const certain = [...acknowledged]
  const certainlyRemoved = [...removed]
  const early = await verifyLog(on('first'))
  expect(early).toMatchObject({ code: 0, output: expect.stringContaining('is intact') })
  await backup(on('first'), at('hot'))
  const between = acknowledged.length - certain.length
  await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(certain.length + between + 20), 60_000)
  inUse = false
  await load
  const [removedLate = ''] = deletedCampaigns.slice(45).map(({ id }) => id)
  await remove(removedLate)
  await vi.waitFor(async () => expect(await deletedIn(api)).toContain(removedLate), 60_000)
  const late = await verifyLog(on('first'), early.end)
  expect(late.code).toBe(0)
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
  const client = apiClient(stack.url, token)
  expect(await rebuild('community', on('second'))).toBe(true)
  const before = await served(client, userId)
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
  expect(await textsOf(client, captures)).toEqual(['Giant mirrors', 'heat the lake'])
  // The log of seals continues with the same key.
  const [{ public_key = '' } = {}, ...others] = await client.call(sealsApi.getSealKeys)
  await captured(client, 'after the restore')
  const checkpoint = await client.call(sealsApi.getCheckpoint)
  expect([others, checkpoint.size > captures.length]).toEqual([[], true])
  expect(await verifyCheckpoint(checkpoint, public_key)).toBe(true)
  // The audit log continues with all actions before the backup, including entries that were pending.
  await client.call(campaignsApi.deleteCampaign, { params: { id: deletedCampaigns.at(-1)?.id ?? '' } })
  await vi.waitFor(async () => {
    const deleted = await deletedIn(client)
    expect(deleted).toEqual(expect.arrayContaining([...certainlyRemoved, deletedCampaigns.at(-1)?.id]))
    expect(new Set(deleted).size).toBe(deleted.length)
  }, 60_000)
  const restored = await verifyLog(on('second'), early.end)
  expect(restored).toMatchObject({ code: 0 })
  // The restored log lacks an end that was noted after the backup.
  expect(await verifyLog(on('second'), late.end)).toMatchObject({ code: 1 })
  await client.call(narrativesApi.createNarrative, { body: { text: 'They hide it again.' } })
  expect(ai.requests.at(-1)?.key).toBe('sk-kept')

  const shown = await vi.waitFor(async () => {
    const now = await served(client, userId)
    expect(now.profile.total_narratives).toBe(2)
    return now
  }, 60_000)
  const atEnd = await verifyLog(on('second'))
  await stack.stop()
  await backup(on('second'), at('cold'))
  expect(await restore(on('third'), at('cold'))).toMatchObject({ running: false })
  stack = await startStack({ env: on('third') })
  expect(await served(apiClient(stack.url, token), userId)).toEqual(shown)
  expect(await textsOf(apiClient(stack.url, token), captures)).toEqual(['Giant mirrors', 'heat the lake'])
  for (const { end } of [early, restored, atEnd])
    expect(await verifyLog(on('third'), end)).toMatchObject({ code: 0 })
  const removedLast = deletedCampaigns.at(-2)?.id ?? ''
  const third = apiClient(stack.url, token)
  await third.call(campaignsApi.deleteCampaign, { params: { id: removedLast } })
  await vi.waitFor(async () => expect(await deletedIn(third)).toContain(removedLast), 60_000)
  expect(await verifyLog(on('third'), atEnd.end)).toMatchObject({ code: 0 })
  await stack.stop()
  // Without a running product, the command starts one; without data, it checks nothing.
  expect(await verifyLog(on('third'), atEnd.end)).toMatchObject({ code: 0 })
  expect(await verifyLog(on('fourth'))).toMatchObject({ code: 2, output: expect.stringContaining('no data') })
})

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    error => `${error.name}: ${error.message}`,
  )

test('an impossible backup or restore is rejected with the reason, and writes no file', {
  tags: 'long',
}, async () => {
  const on = (name: string, more = {}) => ({ ...env, DATA_DIR: at(name), ...more })
  expect(await refusal(backup(on('nowhere'), at('out')))).toMatch(/BackupRefusal: .* holds no data/)
  const given = { MONGODB_URI: 'mongodb://127.0.0.1:1/?replicaSet=x' }
  expect(await refusal(backup(on('third', given), at('out')))).toMatch(/BackupRefusal: MONGODB_URI/)
  const elsewhere = on('third', { BLOBS_URL: 'file:///srv/blobs' })
  expect(await refusal(backup(elsewhere, at('out')))).toMatch(/BackupRefusal: BLOBS_URL/)
  expect(await refusal(backup(on('third'), at('cold')))).toMatch(/BackupRefusal: .* is not empty/)
  expect(await refusal(backup(on('third'), join(at('third'), 'backup')))).toMatch(/lies within DATA_DIR/)
  expect(existsSync(at('out'))).toBe(false)

  expect(await refusal(restore(on('new'), at('third')))).toMatch(/is not a complete backup/)
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

test('a backup is kept if its report can’t be stored', async () => {
  // Simulates a full disk: the report for the next start can't be stored.
  mkdirSync(join(at('full'), 'backup-done.json'), { recursive: true })
  mkdirSync(join(at('full'), 'redis'))
  expect(await backup({ ...env, DATA_DIR: at('full') }, at('full-out'))).toBe(false)
  expect(readdirSync(at('full-out'))).toContain('backup.json')
})

test('administrators see a backup of the running product, and after the next start one of the stopped product', {
  tags: 'long',
}, async () => {
  const on = { ...env, DATA_DIR: at('noted'), ADMIN_EMAILS: 'boss@example.org' }
  let stack = await startStack({ env: on })
  const { token, api } = await signUp({ url: stack.url, mail }, 'boss@example.org', 'boss')
  await backup(on, at('noted-hot'))
  const [hot] = await api.call(systemApi.listBackups)
  expect(Date.now() - Date.parse(hot?.ended_at ?? '')).toBeLessThan(60_000)
  expect(hot?.bytes).toBeGreaterThan(10_000)
  await stack.stop()
  await backup(on, at('noted-cold'))
  expect(readdirSync(at('noted-cold'))).not.toContain('backup-done.json')
  stack = await startStack({ env: on })
  const backups = await apiClient(stack.url, token).call(systemApi.listBackups)
  expect([backups.length, backups[1]]).toEqual([2, hot])
  expect(existsSync(join(at('noted'), 'backup-done.json'))).toBe(false)
  await stack.stop()
})

test('administrators see a failed backup and its cause while the product runs', {
  tags: 'long',
}, async () => {
  const on = { ...env, DATA_DIR: at('failing'), ADMIN_EMAILS: 'boss@example.org' }
  let stack = await startStack({ env: on })
  const { token, api } = await signUp({ url: stack.url, mail }, 'boss@example.org', 'boss')
  await backup(on, at('failing-first'))
  const manifest = readFileSync(join(at('failing-first'), 'backup.json'), 'utf8')
  writeFileSync(at('a-file'), 'kept')
  const socket = createServer().listen(join(at('failing'), 'a-socket'))
  await once(socket, 'listening')
  const failing: [BackupFault, string, object?][] = [
    ['folder-in-use', at('failing-first')],
    ['folder-not-writable', at('a-file')],
    ['folder-not-writable', join(at('a-file'), 'below', 'it')],
    ['folder-within-data', join(at('failing'), 'backup')],
    ['data-elsewhere', at('failing-out'), { BLOBS_URL: 'file:///srv/blobs' }],
    // Fails during the copy: a socket can't be copied.
    ['other', at('failing-out')],
  ]
  for (const [fault, to, more] of failing) {
    await expect(backup({ ...on, ...more }, to)).rejects.toThrow()
    const [last] = await api.call(systemApi.listBackups)
    expect(last).toMatchObject({ fault, bytes: null, duration_ms: expect.any(Number) })
    expect(Date.now() - Date.parse(last?.ended_at ?? '')).toBeLessThan(60_000)
  }
  // Failed backups leave no files and delete none.
  expect(existsSync(at('failing-out'))).toBe(false)
  expect([
    readFileSync(at('a-file'), 'utf8'),
    readFileSync(join(at('failing-first'), 'backup.json'), 'utf8'),
  ]).toEqual(['kept', manifest])
  socket.close()
  const listed = await api.call(systemApi.listBackups)
  expect(listed.map(({ fault }) => fault)).toEqual([...failing.map(([fault]) => fault).reverse(), null])
  for (const told of [JSON.stringify(listed), readFileSync(join(at('failing'), 'iodine.log'), 'utf8')])
    expect(told).not.toContain('failing-')

  await stack.stop()
  const refused = async () => expect(await refusal(backup(on, at('failing-first')))).toMatch(/is not empty/)
  await refused()
  // As after a crash: no service responds at this URL.
  const gone = { SERVICE_KEY: 'x'.repeat(20), AUTH_URL: 'http://127.0.0.1:9' }
  writeFileSync(join(at('failing'), 'services.json'), JSON.stringify(gone))
  await refused()
  expect(existsSync(join(at('failing'), 'backup-done.json'))).toBe(false)
  stack = await startStack({ env: on })
  expect(await apiClient(stack.url, token).call(systemApi.listBackups)).toEqual(listed)
  await stack.stop()
})
