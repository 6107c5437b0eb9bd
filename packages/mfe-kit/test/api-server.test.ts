// @vitest-environment node
import { failOnMisses, startApi } from '@iodine/mfe-kit/testing'
import { expect, test } from 'vitest'

const ID = 'a'.repeat(24)

test('routes a request by its template, and prefers a literal route to one with parameters', async () => {
  const { calls, origin } = await startApi(
    { 'GET /campaigns/:id': ({ params }) => [200, params], 'GET /campaigns/my': [200, ['mine']] },
    '/api/v1',
  )
  const ask = (path: string) => fetch(`${origin}/api/v1${path}`).then(answer => answer.json())
  expect(await ask(`/campaigns/${ID}?q=1`)).toEqual({ id: ID })
  expect(await ask('/campaigns/my')).toEqual(['mine'])
  expect(calls.map(({ route }) => route)).toEqual(['GET /campaigns/:id', 'GET /campaigns/my'])
  expect(calls[0]?.search.get('q')).toBe('1')
})

test('answers an unmatched request with 501, and fails the test with its path', async () => {
  const { origin } = await startApi({ 'GET /campaigns/:id': [200, {}] })
  expect((await fetch(`${origin}/campaigns/x/y`)).status).toBe(501)
  expect(failOnMisses).toThrow(/GET \/campaigns\/x\/y \(routes: GET \/campaigns\/:id\)/)
  expect(failOnMisses).not.toThrow()
})
