import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { freePorts } from '../src/net.js'

const NET = new URL('../dist/net.js', import.meta.url).href

it('never returns one port to two concurrent processes, before either listens', async () => {
  const code = `
    const { freePorts } = await import(${JSON.stringify(NET)})
    console.log(JSON.stringify(await freePorts(400)))
    // Until all have chosen: the ports of a process are free again when it ends.
    process.stdin.resume()`
  const children = Array.from({ length: 4 }, () => {
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', code])
    const chosen = new Promise<void>(resolve => run.child.stdout?.once('data', () => resolve()))
    return { run, chosen }
  })
  await Promise.all(children.map(({ chosen }) => chosen))
  for (const { run } of children) run.child.stdin?.end()
  const ports = (await Promise.all(children.map(({ run }) => run))).flatMap(({ stdout }) =>
    JSON.parse(stdout),
  )
  expect(ports).toHaveLength(1_600)
  expect(new Set(ports).size).toBe(1_600)
})

it('returns ports on which a server can listen', async () => {
  for (const port of await freePorts(3)) {
    const server = createServer()
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })
    await new Promise(resolve => server.close(resolve))
  }
})
