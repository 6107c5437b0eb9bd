/**
 * `npm run check:images`: creates every image of deploy/Dockerfile by running its commands without a container, then runs
 * the product from the images. Each part is a process with only its environment from docker-compose.yml, under a user
 * without write permission, with a real Redis, MongoDB's protocol and mail. Prints sizes and times as a table.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { compile } from './build.mjs'
import { makeStage, readImage, readStages } from './lib/dockerfile.mjs'
import { install } from './lib/install.mjs'
import { main, Refusal, root, say, seconds } from './lib/run.mjs'

const DOCKERFILE = 'deploy/Dockerfile'
const NOBODY = 65_534
const START_MS = 60_000
const isRoot = process.getuid?.() === 0

// Not a recursive readdir: in Node 24 it follows the links between packages.
const bytesIn = path => Number.parseInt(execFileSync('du', ['-sb', path], { encoding: 'utf8' }), 10)
const megabytes = bytes => `${(bytes / 1024 / 1024).toFixed(0)} MB`
const residentBytes = pid =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

/** Creates the images. Resolves to the parts of docker-compose.yml, each with its files, command and environment. */
async function makeImages(folder) {
  const { parse } = createRequire(join(root, 'deploy/package.json'))('yaml')
  const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true })
  const stages = readStages(DOCKERFILE)
  const began = Date.now()
  await makeStage({ folder, context: root, stages, name: 'workspace' })
  say(`Built in ${seconds(began)}; pruning each part …`)
  const parts = []
  for (const [name, { build, environment }] of Object.entries(compose.services)) {
    if (!build) continue
    const args = { ...build.args }
    const own = join(folder, 'app')
    rmSync(own, { recursive: true, force: true })
    await makeStage({ folder, context: root, stages, name: 'pruned', args })
    const image = readImage(stages, build.target, args)
    const app = join(folder, `app-${name}`)
    execFileSync('mv', [own, app])
    if (!isRoot) execFileSync('chmod', ['-R', 'a-w', app])
    assert.equal(image.user, 'node', `${name}: the user in its image is ${image.user}`)
    parts.push({ name, image, app, environment, size: bytesIn(app) })
  }
  return parts
}

const interpolated = (text, env) =>
  text.replace(/\$\{(\w+)(?::[-?]([^}]*))?\}/g, (_, name, fallback = '') => env[name] ?? fallback)

async function startPart({ name, image, app, environment }, { secrets, port, replaced }) {
  const env = { PATH: process.env.PATH, ...image.env }
  for (const [key, value] of Object.entries(environment))
    env[key] = replaced(interpolated(String(value), secrets))
  env.WEB_ROOT &&= replaced(env.WEB_ROOT)
  Object.assign(env, { HOST: '127.0.0.1', PORT: String(port) })
  const [program, ...args] = image.command
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  const began = Date.now()
  const child = spawn(program, args, { cwd: app, env, stdio: ['ignore', 'pipe', 'pipe'], ...user })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk))
  const ended = once(child, 'exit')
  while (!(await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null || Date.now() - began > START_MS)
      throw new Refusal(`${name} did not start:\n${output}`)
    await sleep(30)
  }
  const ready = seconds(began)
  execFileSync(image.health[0], image.health.slice(1), { cwd: app, env, ...user })
  return { ready, child, ended, output: () => output }
}

/** Sends a user's first requests through the gateway. */
async function useProduct(url, mail, { signUp }, { graphApi, iodsApi, narrativesApi, profileApi }) {
  for (let left = 200; (await fetch(`${url}/readyz`)).status !== 200; left--) {
    if (left === 0) throw new Error(`not ready: ${await (await fetch(`${url}/readyz`)).text()}`)
    await sleep(100)
  }
  const { api } = await signUp({ url, mail }, 'first@example.org', 'first')
  const iod = { value: 'of an image', category: 'SENTENCE', description: '', source_type: 'MANUAL' }
  const { id } = await api.call(iodsApi.createIod, { body: iod })
  const listed = await api.call(iodsApi.listIods)
  assert.deepEqual(
    listed.map(each => [each.id, each.created_by]),
    [[id, 'first']],
  )
  await api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-of-first' } })
  const narrative = await api.call(narrativesApi.createNarrative, { body: { text: 'Alice warns Bob.' } })
  assert(narrative.triplets_extracted > 0, 'no triplets were extracted')
  const { nodes } = await api.call(graphApi.getTriplets)
  assert(nodes.length > 0, 'the graph is empty')
  const page = await fetch(`${url}/dashboard`, { headers: { accept: 'text/html' } })
  assert.equal(page.status, 200)
  assert.match(await page.text(), /<div id="root">/)
  const remotes = Object.values(await (await fetch(`${url}/remotes.json`)).json())
  for (const remote of remotes) assert.equal((await fetch(url + remote)).status, 200, remote)
  return remotes.length
}

await main(async () => {
  await install()
  await compile()
  const { freePorts } = await import('../packages/local-servers/dist/index.js')
  const kit = await import('../packages/test-kit/dist/index.js')
  const contracts = await import('../packages/contracts/dist/index.js')
  const folder = mkdtempSync(join(tmpdir(), 'iodine-images-'))
  chmodSync(folder, 0o755)
  const running = []
  const servers = []
  try {
    const parts = await makeImages(folder)
    const ports = await freePorts(parts.length)
    const portOf = Object.fromEntries(parts.map(({ name }, index) => [name, ports[index]]))
    for (const start of [kit.startTestMongo, kit.startTestRedis, kit.startMailCatcher, kit.startAiProvider])
      servers.push(await start())
    const [mongo, redis, mail, ai] = servers
    mkdirSync(join(folder, 'remotes'))
    const replaced = text =>
      text
        .replace(/^http:\/\/(\w+):8080$/, (whole, name) =>
          portOf[name] ? `http://127.0.0.1:${portOf[name]}` : whole,
        )
        .replace(/^mongodb:\/\/\w+:[^@]+@mongo:27017.*$/, mongo.url)
        .replace(/^redis:\/\/:[^@]+@redis:6379$/, redis.url)
        .replace(/^1025$/, '0')
        .replace(/^smtp:\/\/inbox:1025$/, mail.url)
        .replace(/^\/(web|remotes)$/, (_, name) => join(folder, name))
    const environment = join(folder, 'iodine.env')
    execFileSync(process.execPath, ['deploy/new-env.mjs', environment])
    const secrets = { ...parseEnv(readFileSync(environment, 'utf8')), OPENAI_BASE_URL: ai.url }
    say('Starting every part …')
    const starting = parts.map(async part => {
      Object.assign(part, await startPart(part, { secrets, port: portOf[part.name], replaced }))
      running.push(part)
    })
    // Waits for all: after a failure, every started process must be known to be stopped.
    await Promise.allSettled(starting)
    await Promise.all(starting)
    const remotes = await useProduct(`http://127.0.0.1:${portOf.gateway}`, mail, kit, contracts)
    const rows = parts.map(
      ({ name, size, ready, child }) =>
        `| ${name} | ${megabytes(size)} | ${ready} | ${megabytes(residentBytes(child.pid))} |\n`,
    )
    const stopping = Date.now()
    for (const { child } of running) child.kill('SIGTERM')
    await Promise.all(running.map(({ ended }) => ended))
    const stopped = seconds(stopping)
    for (const { name, child } of running)
      assert.equal(child.exitCode, 0, `${name} ended with ${child.exitCode} after SIGTERM`)
    process.stdout.write(
      `| part | files | ready after | memory |\n| --- | --- | --- | --- |\n${rows.join('')}` +
        `web apps: ${megabytes(bytesIn(join(folder, 'web')))}; ${remotes} remotes served; all ended ${stopped} after SIGTERM with status 0${isRoot ? '; run as nobody' : ''}\n`,
    )
  } catch (error) {
    for (const { name, output } of running) say(`── ${name}\n${output().slice(-2_000)}`)
    throw error
  } finally {
    for (const { child } of running) if (child.exitCode === null) child.kill('SIGKILL')
    for (const server of servers) await server.stop()
    execFileSync('chmod', ['-R', 'u+w', folder])
    rmSync(folder, { recursive: true, force: true })
  }
})
