import type { ApiClient } from '@iodine/mfe-kit'
import { expect, it } from 'vitest'
import { addIods } from '../src/queries/add'

const ids = (count: number) => Array.from({ length: count }, (_, n) => n.toString(16).padStart(24, '0'))

/** Creates an API client that answers additions; `failing` is the number of the call that fails. */
const fakeApi = (failing = Number.POSITIVE_INFINITY, unknown: string[] = []) => {
  const requests: { path: string; body: { iod_id?: string; iod_ids?: string[] } }[] = []
  const call = async (path: string, { body }: { body: { iod_ids?: string[] } }) => {
    requests.push({ path, body })
    if (requests.length === failing) throw new Error('Come back later')
    return body.iod_ids ? { added: body.iod_ids, already: [], unknown } : { iod_count: requests.length }
  }
  return { api: { call } as unknown as ApiClient, requests }
}

it('adds 200 IODs in two requests, and up to 20 one by one', async () => {
  const many = fakeApi()
  const steps: number[] = []
  expect(await addIods(many.api, 'c', ids(200), done => steps.push(done))).toMatchObject({ done: 200 })
  expect(steps).toEqual([100, 200])
  expect(many.requests.map(({ path }) => path)).toEqual(Array(2).fill('POST /campaigns/:id/add-iods'))
  expect(many.requests.flatMap(({ body }) => body.iod_ids)).toEqual(ids(200))

  const few = fakeApi()
  expect(await addIods(few.api, 'c', ids(20), () => {})).toMatchObject({ done: 20 })
  expect(few.requests.map(({ path }) => path)).toEqual(Array(20).fill('POST /campaigns/:id/add-iod'))
  expect(few.requests.map(({ body }) => body.iod_id)).toEqual(ids(20))
})

it('returns the number added before a request failed or contained unknown IODs', async () => {
  const { done, error } = await addIods(fakeApi(3).api, 'c', ids(450), () => {})
  expect({ done, error }).toMatchObject({ done: 200, error: new Error('Come back later') })
  expect(await addIods(fakeApi(9, ['x']).api, 'c', ids(50), () => {})).toMatchObject({
    done: 0,
    error: new Error('Unknown IODs: 1'),
  })
})
