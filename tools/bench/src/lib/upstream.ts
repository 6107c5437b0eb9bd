/**
 * A stub service as a process: returns JSON of UPSTREAM_BODY bytes for every path, and answers the gateway's session
 * requests. Sends its URL to its parent process.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const answers = new Map([['/internal/jwks', process.env.UPSTREAM_JWKS ?? '{"keys":[]}']])
const body = JSON.stringify({ text: 'x'.repeat(Number(process.env.UPSTREAM_BODY ?? 1_000) - 11) })

const server = createServer((request, response) => {
  const text = answers.get(request.url ?? '') ?? body
  response
    .writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    })
    .end(text)
})
server.keepAliveTimeout = 72_000
server.listen(0, '127.0.0.1', () =>
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
)
process.on('disconnect', () => process.exit())
