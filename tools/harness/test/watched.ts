import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@iodine/test-kit'
import connect from 'chrome-remote-interface'
import { readyAddress } from '../src/output.js'

/** The built package, as `npm start` runs it. */
const MAIN = fileURLToPath(new URL('../../dev-stack/dist/main.js', import.meta.url))
const START_MS = 240_000
const STOP_MS = 60_000

/** The whole app in a separate process with an attached inspector. */
export interface WatchedApp {
  url: string
  pid: number
  /** Evaluates an expression in the app's process; the result must be serializable as JSON. */
  evaluate<T>(expression: string): Promise<T>
  /** Returns the bytes in use after a full garbage collection. */
  memoryInUse(): Promise<{ heap: number; buffers: number }>
  /** Returns the process's standard error so far. */
  output(): string
  stop(): Promise<number | null>
}

/** Starts the built app on free ports and a new data folder, with the contract's settings in `env`. */
export const startWatchedApp = async (env: Record<string, string> = {}): Promise<WatchedApp> => {
  const folder = temporaryFolder()
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', MAIN], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: '0',
      INBOX_PORT: '0',
      DATA_DIR: folder.path,
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', chunk => {
    output += chunk
  })
  const exited = once(child, 'close').then(([code]) => code as number | null)
  const stop = async () => {
    child.kill('SIGTERM')
    const deadline = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    const code = await exited
    clearTimeout(deadline)
    folder.remove()
    return code
  }
  try {
    const url = await readyAddress(child, START_MS)
    // Child processes may inherit the flag: the first URL is that of the process itself.
    const inspector = /ws:\/\/\S+/.exec(output)?.[0] as string
    const devtools = await connect({ target: inspector, local: true })
    const evaluate = async <T>(expression: string): Promise<T> => {
      const { result, exceptionDetails } = await devtools.Runtime.evaluate({
        expression,
        returnByValue: true,
      })
      if (exceptionDetails) throw new Error(exceptionDetails.text)
      return result.value
    }
    return {
      url: url.replace('localhost', '127.0.0.1'),
      pid: child.pid as number,
      evaluate,
      async memoryInUse() {
        // Two runs: objects freed by the first may release buffers in the second.
        for (let run = 0; run < 2; run++) await devtools.HeapProfiler.collectGarbage()
        return evaluate(
          '(({ heapUsed, external }) => ({ heap: heapUsed, buffers: external }))(process.memoryUsage())',
        )
      },
      output: () => output,
      async stop() {
        await devtools.close()
        return stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}
