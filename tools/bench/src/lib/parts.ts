import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePorts } from '@iodine/local-servers'

const children: ChildProcess[] = []

/** Ends the processes that were started below. */
export const stopParts = (): void => {
  for (const child of children) child.kill()
}

/**
 * A part in a process of its own, that answers; its `server.js` may stand in any build of the product.
 * @param server path from this repository's root
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
  children.push(child)
  const url = `http://127.0.0.1:${port}`
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
  children.push(child)
  const [url] = await once(child, 'message')
  return url as string
}
