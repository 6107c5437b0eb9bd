import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FaultProxy, startFaultProxy } from '../src/index.js'

let echo: Server
let link: FaultProxy
beforeAll(async () => {
  echo = createServer(socket => void socket.on('error', () => {}).pipe(socket))
  echo.listen(0, '127.0.0.1')
  await once(echo, 'listening')
  link = await startFaultProxy(() => (echo.address() as AddressInfo).port, { slowMs: 100 })
})
afterAll(async () => {
  await link?.stop()
  echo?.close()
})

const open = async (): Promise<Socket> => {
  const socket = connect(link.port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}
const say = async (socket: Socket, text: string): Promise<string> => {
  socket.write(text)
  const [answer] = await once(socket, 'data')
  return String(answer)
}

it('forwards data and the end of a connection', async () => {
  const socket = await open()
  expect(await say(socket, 'hello')).toBe('hello')
  socket.end('bye')
  expect(String((await once(socket, 'data'))[0])).toBe('bye')
  await once(socket, 'close')
})

it('holds data while silent, and delivers it in order when open again', async () => {
  const socket = await open()
  expect(await say(socket, 'before')).toBe('before')
  let received = ''
  socket.on('data', data => {
    received += data
  })
  link.set('silent')
  socket.write('one ')
  const late = await open()
  late.write('late')
  await sleep(150)
  socket.write('two')
  expect(received).toBe('')
  const answered = once(late, 'data')
  link.set('open')
  expect(String((await answered)[0])).toBe('late')
  await expect.poll(() => received).toBe('one two')
  socket.destroy()
  late.destroy()
})

it('delays both directions when slow', async () => {
  const socket = await open()
  link.set('slow')
  const from = performance.now()
  expect(await say(socket, 'slowly')).toBe('slowly')
  expect(performance.now() - from).toBeGreaterThanOrEqual(195)
  link.set('open')
  socket.destroy()
})

it('resets old and new connections', async () => {
  const socket = await open()
  expect(await say(socket, 'there')).toBe('there')
  link.set('reset')
  const [error] = await once(socket, 'error')
  expect((error as NodeJS.ErrnoException).code).toBe('ECONNRESET')
  // The reset may arrive before the connect event.
  const refused = connect(link.port, '127.0.0.1').on('error', () => {})
  await new Promise(resolve => refused.once('close', resolve))
  link.set('open')
  const again = await open()
  expect(await say(again, 'again')).toBe('again')
  again.destroy()
})
