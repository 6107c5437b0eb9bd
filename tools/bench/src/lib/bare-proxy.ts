/**
 * A minimal proxy in Node as a process: forwards each request to UPSTREAM_URL with Node's HTTP server and undici, without
 * routes, checks, limits or added headers. Sends its URL to its parent process.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Dispatcher, Pool } from 'undici'

const pool = new Pool(process.env.UPSTREAM_URL ?? '', { connections: 128 })

const server = createServer(({ url = '/', method = 'GET', headers }, response) => {
  const { authorization } = headers
  const chunks: Buffer[] = []
  pool.dispatch(
    {
      path: url,
      method: method as Dispatcher.HttpMethod,
      headers: authorization === undefined ? {} : { authorization },
    },
    {
      onRequestStart: () => {},
      onResponseStart: (_controller, status, received) =>
        void response.writeHead(status, received as Record<string, string>),
      onResponseData: (_controller, chunk) => void chunks.push(chunk),
      onResponseEnd: () => response.end(Buffer.concat(chunks)),
      onResponseError: () => response.destroy(),
    },
  )
})
server.keepAliveTimeout = 72_000
server.listen(0, '127.0.0.1', () =>
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
)
process.on('disconnect', () => process.exit())
