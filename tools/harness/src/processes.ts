import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts, startRedis } from '@iodine/local-servers'
import { type FaultProxyState, type Mail, temporaryFolder, uniquePrefix } from '@iodine/test-kit'
import { createLinks } from './links.js'
import { isOwn, OWN_PARTS, type OwnPart, PROCESS_NAMES, type ProcessName } from './names.js'
import { createEnvironment } from './part-environment.js'
import { ROOT, type RunningProcess, START_MS, startHelper, startOwn } from './start-process.js'
import { type Crash, createSupervisor } from './supervisor.js'

export { PROCESS_NAMES, type ProcessName } from './names.js'

/** A process with fault injection. */
export interface PartProcess {
  name: ProcessName
  pid(): number
  /** Starts it and waits until it accepts requests. If it exits during the start, it is restarted. */
  start(): Promise<void>
  /** Sends SIGKILL. Resolves when the process has exited. */
  kill(): Promise<void>
  /** Sends SIGSTOP. */
  pause(): void
  /** Sends SIGCONT. */
  resume(): void
  /**
   * Starts a new instance, routes all new connections to it, and ends the old one by SIGTERM. Resolves to the old
   * instance's exit code and its duration.
   */
  replace(): Promise<{ code: number | null; ms: number }>
  /** Sets the state of all links to and from the process: cuts or restores them. */
  setLinks(state: FaultProxyState): void
}

export interface ProcessApp {
  /** The gateway's URL for clients, through a link. */
  url: string
  parts: Record<ProcessName, PartProcess>
  /** Redis without a fault proxy, and the prefix of its keys. */
  redis: { url: string; prefix: string }
  /** Returns every accepted mail, oldest first. */
  mails(): readonly Mail[]
  /** Processes that exited unexpectedly and were restarted. */
  crashes: Crash[]
  stop(): Promise<void>
}

export interface ProcessStackOptions {
  /** Environment for every part of the app. */
  env?: Record<string, string>
  /** Maximum delay of the AI provider's answers. */
  aiAfterMs?: number
}

/** Returns a function that reads the mails of a file, to which the mail catcher appends. */
const mailReader = (file: string) => {
  const taken: Mail[] = []
  return (): readonly Mail[] => {
    const lines = readFileSync(file, 'utf8').split('\n').slice(taken.length, -1)
    taken.push(...lines.map(line => JSON.parse(line) as Mail))
    return taken
  }
}

/** Waits until the gateway and all parts are ready. */
const untilReady = async (url: string): Promise<void> => {
  for (const deadline = Date.now() + START_MS; ; await sleep(50)) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined)
    const text = await answer?.text()
    if (answer?.ok) return
    if (Date.now() > deadline) throw new Error(`the parts did not become ready: ${text}`)
  }
}

/** Creates `startOnce`, which starts a process without restarts, and its files, links, ports and settings. */
const createStarter = (
  folder: string,
  { env = {}, aiAfterMs = 0 }: ProcessStackOptions,
  lastPort: (name: ProcessName) => number | undefined,
) => {
  const prefix = uniquePrefix()
  const mailFile = join(folder, 'mails.jsonl')
  closeSync(openSync(mailFile, 'a'))
  const logOf = (name: ProcessName) => join(folder, `${name}.log`)
  const outputOf = (name: ProcessName) => (existsSync(logOf(name)) ? readFileSync(logOf(name), 'utf8') : '')
  const links = createLinks(lastPort)
  /** Ports that the parts listen on. The links' targets follow when a part is ready. */
  const assigned = new Map<OwnPart, number>()
  let redisUrl: string | undefined
  const portOf = (name: OwnPart) => assigned.get(name) as number
  const environmentOf = createEnvironment({
    prefix,
    link: links.port,
    portOf,
    redisUrl: () => redisUrl as string,
    env,
  })

  const startRedisPart = async (): Promise<RunningProcess> => {
    const { url, pid, ended } = await startRedis({ folder: join(folder, 'redis'), at: redisUrl })
    redisUrl = url
    return { pid, port: Number(new URL(url).port), ended: ended.then(() => null) }
  }
  return {
    links,
    mails: mailReader(mailFile),
    outputOf,
    /** Assigns a free port to each part. */
    async assignPorts(names: readonly OwnPart[]): Promise<void> {
      for (const [index, port] of (await freePorts(names.length)).entries())
        assigned.set(names[index] as OwnPart, port)
    },
    redis: () => ({ url: redisUrl as string, prefix }),
    async startOnce(name: ProcessName): Promise<RunningProcess> {
      const output = openSync(logOf(name), 'a')
      try {
        if (isOwn(name))
          return await startOwn(name, {
            env: await environmentOf(name),
            port: portOf(name),
            output,
            readOutput: () => outputOf(name),
          })
        if (name === 'redis') return await startRedisPart()
        const database = [join(folder, 'mongo'), String(lastPort('database') ?? 0)]
        const args = { database, smtp: [mailFile], ai: [String(aiAfterMs)] }
        return await startHelper(name, args[name], output)
      } finally {
        closeSync(output)
      }
    },
  }
}

/**
 * Starts the whole app with one process per part, as on real servers, with a durable Redis and database, a mail
 * catcher and an AI provider as further processes. Each pair of processes has a separate link, so that any part can be
 * cut off. All packages must be built. Rate limits are off.
 */
export const startProcesses = async (options: ProcessStackOptions = {}): Promise<ProcessApp> => {
  for (const part of ['services/iods', 'gateway', 'tools/harness'])
    if (!existsSync(join(ROOT, part, 'dist')))
      throw new Error(`${part} is not built: run npm run types first`)
  const folder = temporaryFolder()
  const starter = createStarter(folder.path, options, name => supervisor.port(name))
  const { links, outputOf } = starter
  const supervisor = createSupervisor(starter.startOnce, outputOf)
  const { start, kill, signal } = supervisor

  const partOf = (name: ProcessName): PartProcess => ({
    name,
    pid: () => supervisor.pid(name),
    start: () => start(name),
    kill: () => kill(name),
    pause: () => signal(name, 'SIGSTOP'),
    resume: () => signal(name, 'SIGCONT'),
    async replace() {
      if (!isOwn(name)) throw new Error(`${name} cannot be replaced`)
      await starter.assignPorts([name])
      return supervisor.replace(name)
    },
    setLinks: state => links.set(name, state),
  })
  const stop = async () => {
    await supervisor.stop()
    await links.stop()
    folder.remove()
  }
  try {
    await starter.assignPorts(OWN_PARTS)
    await Promise.all((['database', 'redis', 'smtp', 'ai'] as const).map(start))
    await Promise.all(OWN_PARTS.map(start))
    const url = `http://127.0.0.1:${await links.port('clients', 'gateway')}`
    await untilReady(url)
    return {
      url,
      parts: Object.fromEntries(PROCESS_NAMES.map(name => [name, partOf(name)])) as ProcessApp['parts'],
      redis: starter.redis(),
      mails: starter.mails,
      crashes: supervisor.crashes,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
