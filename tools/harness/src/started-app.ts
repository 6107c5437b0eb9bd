import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePorts } from '@iodine/local-servers'
import { temporaryFolder } from '@iodine/test-kit'
import { readyAddress } from './output.js'
import { ROOT, START_MS } from './start-process.js'

/** Timeout of a stop: on a busy machine, every part takes some seconds to end its work. */
const STOP_MS = 60_000

/** The app started by `npm start`, in its own process group and data folder. */
export interface StartedApp {
  url: string
  inboxUrl: string
  /** Waits for the newest sign-in link mailed to an address. */
  mailedLink(to: string): Promise<string>
  /** Runs `npm run account` on this app. Rejects with its output. */
  account(...args: string[]): Promise<void>
  /** Returns the log. */
  log(): string
  /** Simulates a power cut: SIGKILL to the whole process group. */
  cutPower(): Promise<void>
  /** Starts again on the same data and ports. */
  start(): Promise<void>
  /** Sends SIGINT, then removes the data folder. Resolves to the exit code; null if it had to be killed. */
  stop(): Promise<number | null>
}

/** Waits for the newest sign-in link mailed to an address. */
const linkMailedTo = async (inboxUrl: string, to: string): Promise<string> => {
  for (let left = 600; left > 0; left--) {
    const mails = (await (await fetch(`${inboxUrl}/api/email`)).json()) as {
      to: { address: string }[]
      text: string
    }[]
    const link = mails
      .filter(mail => mail.to.some(each => each.address === to))
      .map(mail => /https?:\/\/\S+token=\S+/.exec(mail.text)?.[0])
      .at(-1)
    if (link) return link
    await new Promise(next => setTimeout(next, 100))
  }
  throw new Error(`no sign-in link was mailed to ${to}`)
}

/**
 * Runs `npm start` and waits until it is ready. Rejects with the output of a failed start.
 * @param env settings besides ports and data folder
 * @param args further arguments, such as `--demo`
 */
export const startApp = async (
  env: Record<string, string> = {},
  args: string[] = [],
): Promise<StartedApp> => {
  const folder = temporaryFolder()
  const dataDir = folder.path
  const [port, inboxPort] = await freePorts(2)
  const inboxUrl = `http://127.0.0.1:${inboxPort}`
  let child: ChildProcess
  let exited: Promise<number | null>

  const start = async () => {
    child = spawn('npm', ['start', '--', ...args], {
      cwd: ROOT,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        LOG_LEVEL: 'warn',
        ...env,
        PORT: String(port),
        INBOX_PORT: String(inboxPort),
        DATA_DIR: dataDir,
      },
    })
    exited = once(child, 'close').then(([code]) => code as number | null)
    await readyAddress(child, START_MS)
  }
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-(child.pid as number), name)
    } catch {}
  }

  const app: StartedApp = {
    url: `http://localhost:${port}`,
    inboxUrl,
    start,
    mailedLink: to => linkMailedTo(inboxUrl, to),
    async account(...args) {
      const env = { ...process.env, DATA_DIR: dataDir }
      await promisify(execFile)('npm', ['run', '-s', 'account', '--', ...args], { cwd: ROOT, env })
    },
    log: () => readFileSync(join(dataDir, 'iodine.log'), 'utf8'),
    async cutPower() {
      signal('SIGKILL')
      await exited
    },
    async stop() {
      signal('SIGINT')
      const code = await Promise.race([
        exited,
        new Promise<null>(done => setTimeout(() => done(null), STOP_MS)),
      ])
      if (code === null) signal('SIGKILL')
      folder.remove()
      return code
    },
  }
  try {
    await start()
  } catch (error) {
    signal('SIGKILL')
    folder.remove()
    throw error
  }
  return app
}
