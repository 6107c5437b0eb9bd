import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'

const BUILT = new URL('../dist/index.js', import.meta.url).href

/** Runs a part in a separate process that prints its events; `drain` and `more` are code. */
const start = async (drain = '', more = '') => {
  const code = `
    const { runPart } = await import(${JSON.stringify(BUILT)})
    const say = line => void process.stdout.write(line + '\\n')
    const open = setInterval(() => {}, 1_000)
    await runPart(async () => ({
      listen: async () => {},
      drain: async () => { say('draining'); ${drain} },
      close: async () => { say('closed'); clearInterval(open) },
    }))
    say('running')
    ${more}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const said: string[] = []
  const waiting = new Map<string, () => void>()
  createInterface(child.stdout).on('line', line => {
    said.push(line)
    waiting.get(line)?.()
  })
  const ended = once(child, 'close')
  const heard = (line: string) =>
    said.includes(line) ? undefined : new Promise<void>(resolve => waiting.set(line, resolve))
  return { child, said, ended, heard }
}

describe('a part that runs as a process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('drains, closes and exits with 0 on %s', async signal => {
    const { child, said, ended, heard } = await start()
    await heard('running')
    child.kill(signal)
    expect(await ended).toEqual([0, null])
    expect(said).toEqual(['running', 'draining', 'closed'])
  })

  it('ends at once, with 1, when it is told a second time', { tags: 'long' }, async () => {
    const { child, said, ended, heard } = await start('await new Promise(() => {})')
    await heard('running')
    child.kill('SIGTERM')
    await heard('draining')
    child.kill('SIGTERM')
    expect(await ended).toEqual([1, null])
    expect(said).toEqual(['running', 'draining'])
  })

  it('exits with 1 when closing fails', { tags: 'long' }, async () => {
    const { child, ended, heard } = await start(`throw new Error('no')`)
    await heard('running')
    child.kill('SIGTERM')
    expect(await ended).toEqual([1, null])
  })

  it('ends at once, without draining, on a fault that nobody catches', { tags: 'long' }, async () => {
    const { said, ended } = await start('', `setTimeout(() => { throw new Error('a fault') })`)
    expect(await ended).toEqual([1, null])
    expect(said).toEqual(['running'])
  })
})
