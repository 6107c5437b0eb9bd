import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '@iodine/local-servers'

/** nginx with one worker in front of an upstream, keeping its connections alive; an Error says how to install it. */
export const startNginx = async (upstream: string): Promise<{ url: string; stop(): Promise<void> }> => {
  if (spawnSync('nginx', ['-v']).error)
    throw new Error('nginx is not on PATH: install it first (Debian, Ubuntu: apt-get install nginx-light)')
  const folder = mkdtempSync(join(tmpdir(), 'nginx-bench-'))
  const [port] = await freePorts(1)
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${join(folder, name)};`,
  )
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off;
worker_processes 1;
pid ${join(folder, 'pid')};
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
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  for (let left = 100; left > 0; left--) {
    if (await fetch(url).catch(() => undefined)) break
    await new Promise(next => setTimeout(next, 50))
  }
  return {
    url,
    async stop() {
      child.kill()
      await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
