import { fork, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { SERVICE_NAMES } from '@iodine/contracts'
import { freePorts, startRedis } from '@iodine/local-servers'
import { newSigningKey } from '@iodine/service-kit'
import {
  type FaultProxy,
  type FaultProxyOptions,
  type FaultProxyState,
  type Mail,
  NO_LIMITS,
  startFaultProxy,
  temporaryFolder,
  uniquePrefix,
} from '@iodine/test-kit'

const OWN_PARTS = [...SERVICE_NAMES, 'workers', 'gateway'] as const
type OwnPart = (typeof OWN_PARTS)[number]
/** Every process of the product, and the servers it depends on. */
export const PROCESS_NAMES = ['database', 'redis', 'smtp', 'ai', ...OWN_PARTS] as const
export type ProcessName = (typeof PROCESS_NAMES)[number]

const isOwn = (name: ProcessName): name is OwnPart => OWN_PARTS.some(own => own === name)

/** A process with fault injection. */
export interface PartProcess {
  name: ProcessName
  pid(): number
  /**
   * Starts it and waits until it accepts requests. If it exits meanwhile it is restarted, as by a supervisor.
   */
  start(): Promise<void>
  /** Sends SIGKILL; resolves when the process has exited. */
  kill(): Promise<void>
  /** SIGSTOP, SIGCONT. */
  pause(): void
  resume(): void
  /** Sends SIGTERM; resolves to the exit code. */
  terminate(): Promise<number | null>
  /**
   * Starts another copy, routes all new connections to it, and ends the old one by SIGTERM; resolves to the
   * old copy's exit.
   */
  replace(): Promise<{ code: number | null; ms: number }>
  /** Sets the state of all links to and from the process: cuts or restores them. */
  setLinks(state: FaultProxyState): void
}

export interface ProcessStack {
  /** The gateway's address for clients, through a link. */
  url: string
  parts: Record<ProcessName, PartProcess>
  /** Redis without a fault proxy, and the prefix of its keys. */
  redis: { url: string; prefix: string }
  /** Every accepted mail, oldest first. */
  mails(): readonly Mail[]
  /** Processes that exited unexpectedly and were restarted. */
  crashes: { name: ProcessName; code: number | null; said: string }[]
  /** Output of a part. */
  said(name: ProcessName): string
  stop(): Promise<void>
}

export interface ProcessStackOptions {
  /** Environment for every part of the product. */
  env?: Record<string, string>
  links?: FaultProxyOptions
  /** Maximum delay of the AI provider's answers. */
  aiAfterMs?: number
}

interface Running {
  pid: number
  port: number
  ended: Promise<number | null>
}

/** Only what hangs takes as long, also on a busy machine. */
const START_MS = 240_000
const RESTART_PAUSE_MS = 300

/** The workspace's root: the same distance from src and from dist. */
const ROOT = resolve(import.meta.dirname, '../../..')
/** Compiled entries: the processes cannot run TypeScript. */
const helper = (name: string) => fileURLToPath(new URL(`../dist/parts/${name}.js`, import.meta.url))

const forked = async (name: string, args: string[], output: number): Promise<Running> => {
  const child = fork(helper(name), args, {
    env: {},
    execArgv: [],
    stdio: ['ignore', output, output, 'ipc'],
  })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const port = await Promise.race([
    once(child, 'message').then(([message]) => (message as { port: number }).port),
    ended.then(code => {
      throw new Error(`${name} ended with ${code} before it was ready`)
    }),
  ])
  return { pid: child.pid as number, port, ended }
}

/**
 * The whole product with one process per part, as on real servers, over a durable Redis and database, a mail
 * catcher and an AI provider, which are processes too. Each pair of processes has its own link, so that any
 * part can be cut off. All packages must be built. Rate limits are off.
 */
export const startProcesses = async ({
  env = {},
  links: linkOptions = {},
  aiAfterMs = 0,
}: ProcessStackOptions = {}): Promise<ProcessStack> => {
  for (const part of ['services/iods', 'gateway', 'tools/harness'])
    if (!existsSync(join(ROOT, part, 'dist')))
      throw new Error(`${part} is not built: run npm run types first`)
  const folder = temporaryFolder()
  const prefix = uniquePrefix()
  const mailFile = join(folder.path, 'mails.jsonl')
  closeSync(openSync(mailFile, 'a'))
  const running = new Map<ProcessName, Running>()
  /** Ports that the parts listen on; `ports` are the targets of the links. */
  const assigned = new Map<OwnPart, number>()
  const ports = new Map<ProcessName, number>()
  const links = new Map<string, FaultProxy & { ends: readonly [string, ProcessName] }>()
  const crashes: ProcessStack['crashes'] = []
  let redisUrl: string | undefined
  const taken: Mail[] = []
  let stopping = false

  /** The port at which `from` reaches `to`. */
  const link = async (from: ProcessName | 'clients', to: ProcessName): Promise<number> => {
    const key = `${from} ${to}`
    let found = links.get(key)
    if (!found) {
      found = { ...(await startFaultProxy(() => ports.get(to), linkOptions)), ends: [from, to] }
      links.set(key, found)
    }
    return found.port
  }
  const logOf = (name: ProcessName) => join(folder.path, `${name}.log`)
  const said: ProcessStack['said'] = name =>
    existsSync(logOf(name)) ? readFileSync(logOf(name), 'utf8') : ''

  const keys = {
    SERVICE_KEY: randomBytes(24).toString('hex'),
    SECRETS_KEY: randomBytes(32).toString('base64'),
    JWT_PRIVATE_KEY: newSigningKey(),
    SEAL_PRIVATE_KEY: newSigningKey(),
  }
  const environment = async (name: OwnPart): Promise<Record<string, string>> => {
    const at = async (to: ProcessName) => `127.0.0.1:${await link(name, to)}`
    const redis = new URL(redisUrl as string)
    redis.host = await at('redis')
    const peers = name === 'gateway' ? [...SERVICE_NAMES, 'workers' as const] : SERVICE_NAMES
    const urls = await Promise.all(
      peers
        .filter(peer => peer !== name)
        .map(async peer => [`${peer.toUpperCase()}_URL`, `http://${await at(peer)}`]),
    )
    return {
      NODE_ENV: 'production',
      LOG_LEVEL: 'warn',
      ...NO_LIMITS,
      MONGODB_PREFIX: prefix,
      REDIS_PREFIX: prefix,
      PUBLIC_URL: 'http://iodine.example',
      ...keys,
      ...Object.fromEntries(urls),
      // A part reaches itself without a link.
      ...(name !== 'workers' &&
        name !== 'gateway' && { [`${name.toUpperCase()}_URL`]: `http://127.0.0.1:${assigned.get(name)}` }),
      MONGODB_URI: `mongodb://${await at('database')}/?directConnection=true`,
      REDIS_URL: redis.toString(),
      SMTP_URL: `smtp://${await at('smtp')}`,
      OPENAI_BASE_URL: `http://${await at('ai')}/v1`,
      ...env,
      HOST: '127.0.0.1',
      PORT: String(assigned.get(name)),
    }
  }

  const startOwn = async (name: OwnPart, output: number): Promise<Running> => {
    const port = assigned.get(name) as number
    const entry = join(ROOT, name === 'gateway' ? name : `services/${name}`, 'dist/server.js')
    const child = spawn(process.execPath, [entry], {
      env: await environment(name),
      stdio: ['ignore', output, output],
    })
    const ended = once(child, 'exit').then(([code]) => code as number | null)
    for (const deadline = Date.now() + START_MS; ; await sleep(25)) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`${name} ended before it was ready:\n${said(name).slice(-2_000)}`)
      const answer = await fetch(`http://127.0.0.1:${port}/healthz`, {
        signal: AbortSignal.timeout(5_000),
      }).catch(() => undefined)
      await answer?.body?.cancel()
      if (answer?.ok) return { pid: child.pid as number, port, ended }
      if (Date.now() > deadline) {
        child.kill('SIGKILL')
        throw new Error(`${name} did not get ready:\n${said(name).slice(-2_000)}`)
      }
    }
  }
  const startRedisPart = async (): Promise<Running> => {
    const { url, pid, ended } = await startRedis({ folder: join(folder.path, 'redis'), at: redisUrl })
    redisUrl = url
    return { pid, port: Number(new URL(url).port), ended: ended.then(() => null) }
  }
  const startOnce = async (name: ProcessName): Promise<Running> => {
    const output = openSync(logOf(name), 'a')
    try {
      if (isOwn(name)) return await startOwn(name, output)
      if (name === 'redis') return await startRedisPart()
      const database = [join(folder.path, 'mongo'), String(ports.get('database') ?? 0)]
      const args = { database, smtp: [mailFile], ai: [String(aiAfterMs)] }
      return await forked(name, args[name], output)
    } finally {
      closeSync(output)
    }
  }
  const start = async (name: ProcessName): Promise<void> => {
    if (running.has(name)) return
    let part: Running | undefined
    for (const deadline = Date.now() + START_MS; !part; )
      try {
        part = await startOnce(name)
      } catch (error) {
        if (Date.now() > deadline || stopping) throw error
        await sleep(RESTART_PAUSE_MS)
      }
    const mine = part
    running.set(name, mine)
    ports.set(name, mine.port)
    void mine.ended.then(async code => {
      if (running.get(name) !== mine) return
      running.delete(name)
      crashes.push({ name, code, said: said(name).slice(-1_000) })
      await sleep(RESTART_PAUSE_MS)
      if (!stopping) await start(name).catch(() => {})
    })
  }
  const signal = (name: ProcessName, which: NodeJS.Signals) => {
    const part = running.get(name)
    if (part) process.kill(part.pid, which)
  }
  const end = async (name: ProcessName, which: NodeJS.Signals): Promise<number | null> => {
    const part = running.get(name)
    if (!part) return null
    // Removed first, so that the exit counts as requested.
    running.delete(name)
    process.kill(part.pid, which)
    return part.ended
  }
  const parts = Object.fromEntries(
    PROCESS_NAMES.map((name): [ProcessName, PartProcess] => [
      name,
      {
        name,
        pid: () => running.get(name)?.pid ?? 0,
        start: () => start(name),
        kill: async () => void (await end(name, 'SIGKILL')),
        pause: () => signal(name, 'SIGSTOP'),
        resume: () => signal(name, 'SIGCONT'),
        terminate: () => end(name, 'SIGTERM'),
        async replace() {
          const old = running.get(name)
          if (!old || !isOwn(name)) throw new Error(`${name} cannot be replaced`)
          running.delete(name)
          assigned.set(name, (await freePorts(1))[0] as number)
          await start(name)
          const from = Date.now()
          process.kill(old.pid, 'SIGTERM')
          return { code: await old.ended, ms: Date.now() - from }
        },
        setLinks(state) {
          for (const { ends, set } of links.values()) if (ends.some(each => each === name)) set(state)
        },
      },
    ]),
  ) as Record<ProcessName, PartProcess>

  const killAll = () => {
    for (const { pid } of running.values())
      try {
        process.kill(pid, 'SIGKILL')
      } catch {}
  }
  process.once('exit', killAll)
  const stop = async () => {
    stopping = true
    const ended = [...running.values()].map(part => part.ended)
    killAll()
    // From here on all exits are requested.
    running.clear()
    await Promise.all(ended)
    await Promise.all([...links.values()].map(each => each.stop()))
    process.off('exit', killAll)
    folder.remove()
  }

  try {
    for (const [index, port] of (await freePorts(OWN_PARTS.length)).entries())
      assigned.set(OWN_PARTS[index] as OwnPart, port)
    await Promise.all((['database', 'redis', 'smtp', 'ai'] as const).map(start))
    await Promise.all(OWN_PARTS.map(start))
    const url = `http://127.0.0.1:${await link('clients', 'gateway')}`
    for (const deadline = Date.now() + START_MS; ; await sleep(50)) {
      const answer = await fetch(`${url}/readyz`).catch(() => undefined)
      const text = await answer?.text()
      if (answer?.ok) break
      if (Date.now() > deadline) throw new Error(`the parts did not become ready: ${text}`)
    }
    return {
      url,
      parts,
      redis: { url: redisUrl as string, prefix },
      mails() {
        const lines = readFileSync(mailFile, 'utf8').split('\n').slice(taken.length, -1)
        taken.push(...lines.map(line => JSON.parse(line) as Mail))
        return taken
      },
      crashes,
      said,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
