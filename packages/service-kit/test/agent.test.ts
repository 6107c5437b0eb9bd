import type { LookupAddress } from 'node:dns'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAgent } from '../src/index.js'

/** Addresses of replicas on the same port. Only Linux assigns all of 127.0.0.0/8 by default. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3']
const servers = new Map<string, Server>()
let port: number
let answered: string[]
let names: LookupAddress[] | Error
let lookups: number
let agent: ReturnType<typeof createAgent>

const listen = (address: string, at: number) =>
  new Promise<Server>((resolve, reject) => {
    const server = createServer((message, response) => {
      answered.push(address)
      message.resume().on('end', () => response.end(message.headers.host))
    })
    server.once('error', reject).listen(at, address, () => resolve(server))
  })
const stop = (address: string) => {
  servers.get(address)?.close()
  servers.get(address)?.closeAllConnections()
  servers.delete(address)
}
const record = (address: string): LookupAddress => ({ address, family: 4 })
const ask = async (method: 'GET' | 'POST' = 'GET', body: string | null = null) => {
  const { statusCode, body: answer } = await request(`http://iods:${port}/`, {
    method,
    body,
    dispatcher: agent.dispatcher,
  })
  return [statusCode, await answer.text()]
}
const times = async (count: number) => {
  for (let left = count; left > 0; left--) expect(await ask()).toEqual([200, `iods:${port}`])
}
const counted = () => ADDRESSES.map(address => answered.filter(each => each === address).length)

describe.runIf(process.platform === 'linux')('a host name with several addresses', () => {
  beforeAll(async () => {
    const first = await listen(ADDRESSES[0] as string, 0)
    port = (first.address() as AddressInfo).port
    servers.set(ADDRESSES[0] as string, first)
  })
  beforeEach(async () => {
    for (const address of ADDRESSES)
      if (!servers.has(address)) servers.set(address, await listen(address, port))
    answered = []
    lookups = 0
    names = ADDRESSES.map(record)
    agent = createAgent({ connections: 8, connect: { timeout: 30_000 } }, (_hostname, _options, done) => {
      lookups++
      if (names instanceof Error) done(names, [])
      else done(null, names)
    })
    vi.useFakeTimers({ toFake: ['Date'] })
    return async () => {
      vi.useRealTimers()
      await agent.close()
    }
  })
  afterAll(() => ADDRESSES.forEach(stop))

  it('receives requests at its addresses in turn, after one lookup', async () => {
    await times(9)
    expect([counted(), lookups]).toEqual([[3, 3, 3], 1])
  })
  it('is looked up once for concurrent requests', async () => {
    await Promise.all(Array.from({ length: 30 }, () => ask()))
    expect([counted(), lookups]).toEqual([[10, 10, 10], 1])
  })
  it('follows added and removed addresses after the cache expires', async () => {
    names = ADDRESSES.slice(0, 1).map(record)
    await times(3)
    names = ADDRESSES.map(record)
    vi.advanceTimersByTime(5_001)
    await times(6)
    expect(counted()).toEqual([5, 2, 2])
    names = ADDRESSES.slice(1).map(record)
    vi.advanceTimersByTime(5_001)
    await times(4)
    expect(counted()).toEqual([5, 4, 4])
  })
  it('receives requests at the other addresses if one is unreachable, after one failed attempt', async () => {
    await times(3)
    stop(ADDRESSES[1] as string)
    await times(20)
    const [first = 0, second, third = 0] = counted()
    expect([first + third, second]).toEqual([22, 1])
    expect(Math.abs(first - third)).toBeLessThanOrEqual(2)
    expect(await ask('POST', 'text')).toEqual([200, `iods:${port}`])
  })
  it('rejects while all addresses are unreachable, and answers afterwards', async () => {
    ADDRESSES.forEach(stop)
    await expect(ask()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    for (const address of ADDRESSES) servers.set(address, await listen(address, port))
    await times(3)
  })
  it('keeps its last known addresses while lookups fail', async () => {
    await times(3)
    names = Object.assign(new Error('no such name'), { code: 'EAI_AGAIN' })
    vi.advanceTimersByTime(5_001)
    await times(3)
    expect(counted()).toEqual([2, 2, 2])
  })
  it('rejects if its first lookup fails', async () => {
    names = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
    await expect(ask()).rejects.toMatchObject({ code: 'ENOTFOUND' })
    names = ADDRESSES.map(record)
    await times(3)
  })
})
