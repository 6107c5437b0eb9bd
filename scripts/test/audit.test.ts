import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The registry's last request: versions by name. */
let asked: Record<string, string[]> = {}
let respond: (response: ServerResponse) => void
const registry = createServer(async (request: IncomingMessage, response) => {
  if (request.method !== 'POST' || request.url !== '/some/where/-/npm/v1/security/advisories/bulk')
    return void response.writeHead(404).end()
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  asked = JSON.parse(Buffer.concat(chunks).toString())
  respond(response)
})
let url: string
beforeAll(async () => {
  registry.listen(0, '127.0.0.1')
  await once(registry, 'listening')
  url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/some/where`
})
afterAll(() => {
  registry.closeAllConnections()
  registry.close()
})
beforeEach(() => {
  asked = {}
})

/** Runs the audit phase of `npm test` in a separate process, as `npm test` does. */
const runAlone = async () => {
  const code = `import { auditDependencies } from './scripts/audit.mjs'
    import { main } from './scripts/lib/run.mjs'
    await main(() => auditDependencies())`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: root,
    env: { PATH: process.env.PATH, npm_config_registry: url },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', chunk => {
    output += chunk
  })
  const [status] = await once(child, 'close')
  return { status, output }
}
/** Runs the audit in this process, which is faster. */
const run = async (options: object = {}, registryUrl = url) => {
  const { auditDependencies } = await import(pathToFileURL(`${root}/scripts/audit.mjs`).href)
  vi.stubEnv('npm_config_registry', registryUrl)
  let output = ''
  const write = vi.spyOn(process.stderr, 'write').mockImplementation(text => {
    output += text
    return true
  })
  const status = await auditDependencies(options).then(
    () => 0,
    (error: Error) => {
      output += error.message
      return 1
    },
  )
  write.mockRestore()
  vi.unstubAllEnvs()
  return { status, output }
}
const json = (body: unknown) => (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const advisory = (severity: string, vulnerable_versions = '*') => ({
  id: 1,
  url: 'https://example.org/advisories/1',
  title: 'It breaks',
  severity,
  vulnerable_versions,
})

it('queries deployed dependencies, and passes without known vulnerabilities', { tags: 'long' }, async () => {
  respond = json({})
  const { status, output } = await run()
  expect([status, output]).toEqual([0, expect.stringMatching(/^\d+ production dependencies: none/)])
  for (const name of ['fastify', 'mongodb', 'react', 'find-my-way', '@blueprintjs/core'])
    expect(asked[name]?.[0]).toMatch(/^\d+\.\d+\.\d+/)
  for (const name of ['vitest', '@playwright/test', '@biomejs/biome', '@iodine/contracts', 'postal-mime'])
    expect(asked[name]).toBeUndefined()
})

it.each([
  ['high', run],
  ['critical', runAlone],
] as const)('fails with a readable message for a %s vulnerability', async (severity, audit) => {
  respond = json({ fastify: [advisory(severity)] })
  const { status, output } = await audit()
  expect(status).toBe(1)
  expect(output).toContain(`${severity}: fastify ${asked.fastify?.[0]} (vulnerable: *)`)
  expect(output).toContain('https://example.org/advisories/1')
  expect(output).not.toContain(' at ')
})

it('reports lower severities and ignores unused versions, without failing', { tags: 'long' }, async () => {
  respond = json({ fastify: [advisory('high', '<1.0.0')], mongodb: [advisory('moderate')] })
  const { status, output } = await run()
  expect([status, output]).toEqual([0, expect.stringContaining('moderate: mongodb')])
  expect(output).not.toContain('fastify')
})

it('passes for an allowed advisory until its date', async () => {
  respond = json({ fastify: [advisory('high')] })
  const entry = { url: 'https://example.org/advisories/1', reason: 'not reached from outside' }
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-01T18:00:00Z') })
  onTestFinished(() => void vi.useRealTimers())
  for (const [until, expected] of [
    ['2999-12-31', 0],
    ['2026-03-01', 0],
    ['2026-02-28', 1],
  ] as const)
    expect([until, (await run({ allowed: [{ ...entry, until }] })).status]).toEqual([until, expected])
  const { status, output } = await run({ allowed: [entry] })
  expect([status, output]).toEqual([1, expect.stringContaining('a date in until')])
})

it.each<[string, (response: ServerResponse) => void, string]>([
  ['404', response => void response.writeHead(404).end('{}'), 'it answered 404'],
  ['405', response => void response.writeHead(405).end(), 'it answered 405'],
  ['a page', response => void response.writeHead(200).end('<html>'), 'its answer is not JSON'],
  ['a cut connection', response => void response.destroy(), 'it could not be reached'],
])('is skipped if the registry returns %s', { tags: 'long' }, async (_, behaviour, reason) => {
  respond = behaviour
  const { status, output } = await run({ timeoutMs: 60_000 })
  expect([status, output]).toEqual([
    0,
    `Skipped: advisories were requested from the registry, but ${reason}.\n`,
  ])
})

it('is skipped if the registry does not respond', async () => {
  respond = () => {}
  const { status, output } = await run({ timeoutMs: 300 })
  expect([status, output]).toEqual([0, expect.stringContaining('it did not answer within 0.3 s')])
})

it('is skipped offline', async () => {
  const { status, output } = await run({}, 'http://127.0.0.1:9')
  expect([status, output]).toEqual([0, expect.stringContaining('it could not be reached')])
})
