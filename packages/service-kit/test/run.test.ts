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
  const printed: string[] = []
  const waiting = new Map<string, () => void>()
  createInterface(child.stdout).on('line', line => {
    printed.push(line)
    waiting.get(line)?.()
  })
  const ended = once(child, 'close')
  const waitForLine = (line: string) =>
    printed.includes(line) ? undefined : new Promise<void>(resolve => waiting.set(line, resolve))
  return { child, printed, ended, waitForLine }
}

describe('a part that runs as a process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('drains, closes and exits with 0 on %s', async signal => {
    const { child, printed, ended, waitForLine } = await start()
    await waitForLine('running')
    child.kill(signal)
    expect(await ended).toEqual([0, null])
    expect(printed).toEqual(['running', 'draining', 'closed'])
  })

  it('exits at once with 1 on a second signal', { tags: 'long' }, async () => {
    const { child, printed, ended, waitForLine } = await start('await new Promise(() => {})')
    await waitForLine('running')
    child.kill('SIGTERM')
    await waitForLine('draining')
    child.kill('SIGTERM')
    expect(await ended).toEqual([1, null])
    expect(printed).toEqual(['running', 'draining'])
  })

  it('exits with 1 when closing fails', { tags: 'long' }, async () => {
    const { child, ended, waitForLine } = await start(`throw new Error('no')`)
    await waitForLine('running')
    child.kill('SIGTERM')
    expect(await ended).toEqual([1, null])
  })

  it('exits at once without draining on an uncaught error', { tags: 'long' }, async () => {
    const { printed, ended } = await start('', `setTimeout(() => { throw new Error('a fault') })`)
    expect(await ended).toEqual([1, null])
    expect(printed).toEqual(['running'])
  })
})
