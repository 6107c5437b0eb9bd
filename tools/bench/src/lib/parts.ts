import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePorts } from '@iodine/local-servers'
import { temporaryFolder } from '@iodine/test-kit'

const children = new Set<ChildProcess>()
process.once('exit', () => stopParts())

/** Ends the processes that this module has started. */
export const stopParts = (): void => {
  for (const child of children) child.kill()
  children.clear()
}

/** Registers the process for `stopParts` and waits until a path of its URL responds. */
const untilAnswering = async (child: ChildProcess, url: string, path: string): Promise<void> => {
  children.add(child)
  for (let left = 1_200; left > 0; left--) {
    if (await fetch(url + path).catch(() => undefined)) return
    await new Promise(next => setTimeout(next, 50))
  }
  throw new Error(`${child.spawnargs.join(' ')} did not start`)
}

/**
 * Starts a part in a separate process. Resolves when it responds.
 * @param server its compiled file, relative to the repository's root
 */
export const startPart = async (server: string, env: Record<string, string>): Promise<string> => {
  const [port] = await freePorts(1)
  const child = fork(fileURLToPath(new URL(`../../../../${server}`, import.meta.url)), {
    env: { ...process.env, HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'warn', ...env },
  })
  const url = `http://127.0.0.1:${port}`
  await untilAnswering(child, url, '/healthz')
  return url
}

/** Starts a file of this folder that sends its URL once it listens. */
const startFile = async (file: string, env: Record<string, string>): Promise<string> => {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), { env: { ...process.env, ...env } })
  const [url] = (await once(child, 'message')) as [string]
  children.add(child)
  return url
}

/** Starts a stub service, which returns JSON of `bytes` bytes for every path, and serves the session keys. */
export const startUpstream = (bytes: number, jwks: string): Promise<string> =>
  startFile('./upstream.js', { UPSTREAM_BODY: String(bytes), UPSTREAM_JWKS: jwks })

/** Starts a minimal proxy in Node in front of an upstream. */
export const startBareProxy = (upstream: string): Promise<string> =>
  startFile('./bare-proxy.js', { UPSTREAM_URL: upstream })

/**
 * Starts nginx with one worker and keep-alive connections to an upstream.
 * @throws Error with install instructions if nginx is missing
 */
export const startNginx = async (upstream: string): Promise<string> => {
  if (spawnSync('nginx', ['-v']).error)
    throw new Error('nginx is not on PATH: install it first (Debian, Ubuntu: apt-get install nginx-light)')
  const folder = temporaryFolder()
  const [port] = await freePorts(1)
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${join(folder.path, name)};`,
  )
  const config = join(folder.path, 'nginx.conf')
  writeFileSync(
    config,
    `daemon off;
worker_processes 1;
pid ${join(folder.path, 'pid')};
error_log stderr warn;
events { worker_connections 1024; }
http {
  ${own.join('\n  ')}
  access_log off;
  keepalive_requests 1000000000;
  upstream service { server ${new URL(upstream).host}; keepalive 128; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://service;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Request-Id $request_id;
      add_header Cache-Control no-store;
    }
  }
}
`,
  )
  const child = spawn('nginx', ['-p', folder.path, '-c', config], { stdio: ['ignore', 'ignore', 'inherit'] })
  child.once('exit', folder.remove)
  const url = `http://127.0.0.1:${port}`
  await untilAnswering(child, url, '/')
  return url
}
