import type { Campaign, Iod, NewIod } from '@iodine/contracts'
import { expectTypeOf, test } from 'vitest'
import type { ApiClient, Input, Output, Page, Route } from '../src'
import { useMutation, usePagedQuery, useQuery } from '../src/query'

declare const api: ApiClient

test('derives routes from the contracts', () => {
  expectTypeOf<'GET /iods'>().toExtend<Route>()
  expectTypeOf<'GET /nothing'>().not.toExtend<Route>()
  expectTypeOf<'POST /internal/iods/batch'>().not.toExtend<Route>()
  expectTypeOf<Output<'GET /iods'>>().toEqualTypeOf<Iod[]>()
  expectTypeOf<Input<'POST /iods'>['body']>().toEqualTypeOf<NewIod>()
  // @ts-expect-error no such route
  api.call('GET /nothing')
  // @ts-expect-error the path needs its id
  api.call('POST /iods/:id/vote', { body: { vote_type: 'POSITIVE' } })
  // @ts-expect-error no such vote
  api.call('POST /iods/:id/vote', { params: { id: 'x' }, body: { vote_type: 'UP' } })
  // @ts-expect-error no such filter
  api.call('GET /iods', { query: { colour: 'red' } })
})

test('types the data of a query by its call', () => {
  const query = () =>
    useQuery({
      queryKey: ['campaign', 'x'],
      queryFn: ({ signal }) => api.call('GET /campaigns/:id', { params: { id: 'x' }, signal }),
    })
  expectTypeOf<ReturnType<typeof query>['data']>().toEqualTypeOf<Output<'GET /campaigns/:id'> | undefined>()
  const selected = () =>
    useQuery({
      queryKey: ['campaigns'],
      queryFn: () => api.call('GET /campaigns'),
      select: campaigns => campaigns.map(({ name }) => name),
    })
  expectTypeOf<ReturnType<typeof selected>['data']>().toEqualTypeOf<string[] | undefined>()
  useQuery({
    queryKey: ['campaigns'],
    queryFn: () => api.call('GET /campaigns'),
    // @ts-expect-error campaigns have no such field
    select: campaigns => campaigns.map(({ title }) => title),
  })
})

test('types the pages and items of a paged query', () => {
  const query = () =>
    usePagedQuery({
      queryKey: ['campaigns'],
      readPage: (page, signal) => api.page('GET /campaigns', { query: { limit: 50, ...page }, signal }),
    })
  expectTypeOf<NonNullable<ReturnType<typeof query>['pages']>>().toEqualTypeOf<Page<Campaign[]>[]>()
  expectTypeOf<ReturnType<typeof query>['items']>().toEqualTypeOf<Campaign[] | undefined>()
})

test('types the input of a mutation by its call', () => {
  const mutation = () =>
    useMutation({ mutationFn: (body: Input<'POST /iods'>['body']) => api.call('POST /iods', { body }) })
  expectTypeOf<ReturnType<typeof mutation>['data']>().toEqualTypeOf<Iod | undefined>()
  expectTypeOf<Parameters<ReturnType<typeof mutation>['mutate']>[0]>().toEqualTypeOf<NewIod>()
})
