/**
 * `npm run check:images`: makes every image of deploy/Dockerfile by its own commands, without a container, and runs the product
 * from them: a process a part with the environment of docker-compose.yml and no other, as a user who may write nothing, over a
 * real Redis, MongoDB's protocol and mail. Prints sizes and times as a table.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { makeStage, readImage, readStages } from './lib/dockerfile.mjs'
import { install } from './lib/install.mjs'
import { bin, main, must, Refusal, root, say } from './lib/run.mjs'

const DOCKERFILE = 'deploy/Dockerfile'
const NOBODY = 65_534
const START_MS = 60_000
const isRoot = process.getuid?.() === 0

const expect = (what, given, wanted) => {
  if (JSON.stringify(given) !== JSON.stringify(wanted))
    throw new Error(`${what}: ${JSON.stringify(given)} instead of ${JSON.stringify(wanted)}`)
}
// Not by a recursive readdir: Node 24 follows there the links between packages.
const bytesIn = path => Number.parseInt(execFileSync('du', ['-sb', path], { encoding: 'utf8' }), 10)
const megabytes = bytes => `${(bytes / 1024 / 1024).toFixed(0)} MB`
const residentBytes = pid => {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
  } catch {
    return Number.NaN
  }
}

/** Makes the images; resolves to the parts of docker-compose.yml, each with its files, its command and its environment. */
async function makeImages(folder) {
  const { parse } = createRequire(join(root, 'deploy/package.json'))('yaml')
  const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true })
  const stages = readStages(DOCKERFILE)
  const began = Date.now()
  await makeStage({ folder, context: root, stages, name: 'workspace' })
  say(`Built in ${((Date.now() - began) / 1000).toFixed(0)} s; pruning each part …`)
  const parts = []
  for (const [name, { build, environment }] of Object.entries(compose.services)) {
    if (!build) continue
    const args = { ...build.args }
    const own = join(folder, 'app')
    rmSync(own, { recursive: true, force: true })
    await makeStage({ folder, context: root, stages, name: 'pruned', args })
    const image = readImage({ folder, stages, name: build.target, args })
    const app = join(folder, `app-${name}`)
    execFileSync('mv', [own, app])
    if (!isRoot) execFileSync('chmod', ['-R', 'a-w', app])
    expect(`${name}: the user in its image`, image.user, 'node')
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
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (said += chunk))
  const ended = once(child, 'exit').then(([code]) => code)
  const url = `http://127.0.0.1:${port}`
  const isHealthy = () =>
    fetch(`${url}/healthz`).then(
      answer => answer.ok,
      () => false,
    )
  while (!(await isHealthy())) {
    if (child.exitCode !== null || Date.now() - began > START_MS)
      throw new Refusal(`${name} did not start:\n${said}`)
    await sleep(30)
  }
  const startMs = Date.now() - began
  execFileSync(image.health[0], image.health.slice(1), { cwd: app, env, ...user })
  return { name, url, pid: child.pid, startMs, child, ended, said: () => said }
}

/** What a user does first, through the gateway. */
async function useProduct(url, mail) {
  const call = async (method, path, { body, token } = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: body && JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
    return answer.json()
  }
  for (let left = 200; (await fetch(`${url}/readyz`)).status !== 200; left--) {
    if (left === 0) throw new Error(`not ready: ${await (await fetch(`${url}/readyz`)).text()}`)
    await sleep(100)
  }
  await call('POST', '/api/v1/auth/request-magic-link', { body: { email: 'first@example.org' } })
  const { text } = await mail.waitForMail('first@example.org')
  const link = new URL(/https?:\S+token=\S+/.exec(text)[0])
  const { access_token: token } = await call('POST', '/api/v1/auth/verify-magic-link', {
    body: { token: link.searchParams.get('token') },
  })
  await call('POST', '/api/v1/profile/setup-username', { body: { username: 'first' }, token })
  const iod = { value: 'of an image', category: 'SENTENCE', description: '', source_type: 'MANUAL' }
  const { id } = await call('POST', '/api/v1/iods', { body: iod, token })
  const listed = await call('GET', '/api/v1/iods', { token })
  expect(
    'the list of IODs',
    listed.map(each => [each.id, each.created_by]),
    [[id, 'first']],
  )
  await call('POST', '/api/v1/profile/update-openai-key', { body: { api_key: 'sk-of-first' }, token })
  const narrative = await call('POST', '/api/v1/narratives/', { body: { text: 'Alice warns Bob.' }, token })
  if (!(narrative.triplets_extracted > 0)) throw new Error('no triplets were extracted')
  const { nodes } = await call('GET', '/api/v1/graph/triplets', { token })
  if (nodes.length === 0) throw new Error('the graph is empty')
  const page = await fetch(`${url}/dashboard`, { headers: { accept: 'text/html' } })
  expect('the page', [page.status, (await page.text()).includes('<div id="root">')], [200, true])
  const remotes = Object.values(await call('GET', '/remotes.json'))
  for (const remote of remotes) await call('GET', remote)
  return remotes.length
}

await main(async () => {
  process.chdir(root)
  await install()
  await must('Compiling', bin('tsc'), ['-b', '--noCheck', '--checkers', '1', 'packages/test-kit'])
  const { freePorts } = await import('../packages/local-servers/dist/index.js')
  const kit = await import('../packages/test-kit/dist/index.js')
  const folder = mkdtempSync(join(tmpdir(), 'iodine-images-'))
  chmodSync(folder, 0o755)
  const running = []
  const servers = []
  try {
    const parts = await makeImages(folder)
    const ports = await freePorts(parts.length)
    const portOf = Object.fromEntries(parts.map(({ name }, index) => [name, ports[index]]))
    const keep = async starting => {
      const server = await starting
      servers.push(server)
      return server
    }
    const [mongo, redis, mail, ai] = await Promise.all([
      keep(kit.startTestMongo()),
      keep(kit.startTestRedis()),
      keep(kit.startMailCatcher()),
      keep(kit.startAiProvider()),
    ])
    for (const name of ['remotes', 'web']) mkdirSync(join(folder, name), { recursive: true })
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
    const starting = await Promise.allSettled(
      parts.map(async part =>
        running.push(await startPart(part, { secrets, port: portOf[part.name], replaced })),
      ),
    )
    const failed = starting.find(result => result.status === 'rejected')
    if (failed) throw failed.reason
    const gateway = running.find(({ name }) => name === 'gateway')
    const remotes = await useProduct(gateway.url, mail)
    const memory = Object.fromEntries(running.map(({ name, pid }) => [name, residentBytes(pid)]))
    const stopping = Date.now()
    for (const { child } of running) child.kill('SIGTERM')
    const codes = await Promise.all(running.map(async ({ name, ended }) => [name, await ended]))
    const stopMs = Date.now() - stopping
    for (const [name, code] of codes) expect(`${name} after SIGTERM`, code, 0)
    process.stdout.write('| part | files | ready after | memory |\n| --- | --- | --- | --- |\n')
    for (const { name, size } of parts) {
      const { startMs } = running.find(part => part.name === name)
      process.stdout.write(
        `| ${name} | ${megabytes(size)} | ${(startMs / 1000).toFixed(1)} s | ${megabytes(memory[name])} |\n`,
      )
    }
    process.stdout.write(
      `web apps: ${megabytes(bytesIn(join(folder, 'web')))}; ${remotes} remotes served; all ended ${(stopMs / 1000).toFixed(1)} s after SIGTERM with status 0${isRoot ? '; run as nobody' : ''}\n`,
    )
  } catch (error) {
    for (const { name, said } of running) say(`── ${name}\n${said().slice(-2_000)}`)
    throw error
  } finally {
    for (const { child } of running) if (child.exitCode === null) child.kill('SIGKILL')
    for (const server of servers) await server.stop()
    execFileSync('chmod', ['-R', 'u+w', folder])
    rmSync(folder, { recursive: true, force: true })
  }
})
