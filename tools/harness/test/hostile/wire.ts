import { connect } from 'node:net'

/** A request as raw bytes, without correction by a client library. */
export interface RawRequest {
  method: string
  target: Buffer
  headers: [name: string, value: string][]
  body: Buffer | undefined
  /** Size of chunks in bytes. Sends the body with `Transfer-Encoding`, without a Content-Length. */
  chunked?: number
}

export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: Buffer
}

const encode = ({ method, target, headers, body, chunked }: RawRequest): Buffer => {
  const lines = headers.map(([name, value]) => Buffer.from(`${name}: ${value}\r\n`, 'latin1'))
  const parts = [Buffer.from(`${method} `), target, Buffer.from(' HTTP/1.1\r\n'), ...lines]
  if (!body) return Buffer.concat([...parts, Buffer.from('\r\n')])
  if (!chunked) return Buffer.concat([...parts, Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body])
  parts.push(Buffer.from('Transfer-Encoding: chunked\r\n\r\n'))
  for (let at = 0; at < body.length; at += chunked) {
    const chunk = body.subarray(at, at + chunked)
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'))
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')])
}

/** Parses the response in the bytes so far. Returns undefined while it is incomplete and the connection is open. */
const decode = (bytes: Buffer, isOver: boolean, isHead: boolean): RawAnswer | undefined => {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1])
  if (status < 200) return decode(bytes.subarray(end + 4), isOver, isHead)
  const headers = Object.fromEntries(
    lines.map(line => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
  const rest = bytes.subarray(end + 4)
  // No body, regardless of the headers: RFC 9112, 6.3.
  if (isHead || status === 204 || status === 304) return { status, headers, body: Buffer.alloc(0) }
  const length = headers['content-length']
  if (length !== undefined)
    return rest.length >= Number(length)
      ? { status, headers, body: rest.subarray(0, Number(length)) }
      : undefined
  if (!headers['transfer-encoding']) return isOver ? { status, headers, body: rest } : undefined
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const line = rest.indexOf('\r\n', at)
    if (line < 0) return undefined
    const size = Number.parseInt(rest.subarray(at, line).toString('latin1'), 16)
    if (size === 0) return { status, headers, body: Buffer.concat(chunks) }
    if (rest.length < line + 2 + size) return undefined
    chunks.push(rest.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
}

/** Sends the request on a new connection. Rejects without a complete response within `ms`. */
export const exchange = (base: string, request: RawRequest, ms = 20_000): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const isHead = request.method === 'HEAD'
    let received: Buffer[] = []
    const socket = connect(Number(new URL(base).port), '127.0.0.1', () => socket.write(encode(request)))
    const settle = (isOver: boolean) => {
      received = [Buffer.concat(received)]
      const answer = decode(received[0] as Buffer, isOver, isHead)
      if (!answer && !isOver) return
      clearTimeout(timer)
      socket.destroy()
      if (answer) resolve(answer)
      else reject(new Error(`the connection ended without a response, after ${received[0]?.length} bytes`))
    }
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`no response within ${ms} ms`))
    }, ms)
    socket.on('data', chunk => {
      received.push(chunk)
      settle(false)
    })
    socket.on('error', () => {})
    socket.on('close', () => settle(true))
  })
