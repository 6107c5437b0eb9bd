import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { context, SpanKind, trace } from '@opentelemetry/api'
import { expect, it } from 'vitest'
import { createTracing } from '../src/index.js'

it.each([
  ['http/protobuf', 'application/x-protobuf'],
  ['http/json', 'application/json'],
] as const)('exports names and codes by %s, and no other attribute', async (protocol, type) => {
  const received: { type: string | undefined; path: string | undefined; body: Buffer }[] = []
  const server = createServer(async (request, response) => {
    received.push({ type: request.headers['content-type'], path: request.url, body: await buffer(request) })
    response.end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const tracing = await createTracing('part-of-test', {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`,
    OTEL_EXPORTER_OTLP_HEADERS: {},
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_TRACES_SAMPLER_ARG: 1,
  })
  if (!tracing) throw new Error('no tracing')
  context.with(tracing.root, () => {
    const attributes = { 'http.route': '/lists/:id', 'url.full': 'https://example.org/private' }
    trace.getTracer('test').startSpan('GET /lists/:id', { kind: SpanKind.SERVER, attributes }).end()
  })
  await tracing.close()
  await new Promise(resolve => server.close(resolve))
  expect(received).toMatchObject([{ type, path: '/base/v1/traces' }])
  const text = String(received[0]?.body)
  for (const part of ['part-of-test', 'GET /lists/:id', 'http.route']) expect(text).toContain(part)
  expect(text).not.toContain('private')
})
