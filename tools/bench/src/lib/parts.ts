import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePorts } from '@iodine/local-servers'

const children = new Map<string, ChildProcess>()

/** Ends the processes that were started below, all but those at addresses that are still needed. */
export const stopParts = (...needed: string[]): void => {
  for (const [url, child] of children) {
    if (needed.includes(url)) continue
    child.kill()
    children.delete(url)
  }
}

/**
 * A part in a process of its own, that answers.
 * @param server its compiled file, from the repository's root
 */
export const startPart = async (
  server: string,
  env: Record<string, string>,
  execArgv: string[] = [],
): Promise<{ url: string; pid: number }> => {
  const [port] = await freePorts(1)
  const child = fork(fileURLToPath(new URL(`../../../../${server}`, import.meta.url)), {
    execArgv,
    env: { ...process.env, HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'warn', ...env },
  })
  const url = `http://127.0.0.1:${port}`
  children.set(url, child)
  for (let left = 200; left > 0; left--) {
    if (await fetch(`${url}/healthz`).catch(() => undefined)) return { url, pid: child.pid as number }
    await new Promise(next => setTimeout(next, 50))
  }
  throw new Error(`${server} did not start`)
}

/** A process that stands for services: answers every path with JSON of so many bytes, and tells the keys of sessions. */
export const startUpstream = async (bytes: number, jwks: string): Promise<string> => {
  const child = fork(fileURLToPath(new URL('./upstream.js', import.meta.url)), {
    env: { ...process.env, UPSTREAM_BODY: String(bytes), UPSTREAM_JWKS: jwks },
  })
  const [url] = (await once(child, 'message')) as [string]
  children.set(url, child)
  return url
}
