import { DETAILS, narrativesApi, narrativesInternal } from '@iodine/contracts'
import { newId } from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './test-server.js'

const TEXT = 'They hide numbers 🛰. Nobody asks why. The moon is far.'
const SENTENCE = 'They hide numbers 🛰.'
const NUMBERS = { subject: 'They', verb: 'hide', object: 'numbers' }
const INVENTED = { subject: 'Dragons', verb: 'devour', object: 'violins' }
const CITE = { start: 0, end: SENTENCE.length, score: 1 }

let server: TestServer
let ana: Awaited<ReturnType<TestServer['user']>>

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server?.stop())
beforeEach(async () => {
  ana = await server.user('ana')
  // Delivers the result as the worker does.
  server.work(id =>
    server.finish(id, {
      triplets: [
        { ...INVENTED, cite: null },
        { ...NUMBERS, cite: CITE },
      ],
    }),
  )
})

const postText = async (fields: { text?: string; src?: string } = {}) =>
  (await ana.api.call(narrativesApi.createNarrative, { body: { text: TEXT, ...fields } })).id
const citations = (id: string) => ana.api.call(narrativesApi.listCitations, { params: { id } })

describe('citations', () => {
  it('of an own narrative are listed; triplets without one are omitted', async () => {
    const id = await postText()
    const { triplets } = await ana.api.call(narrativesApi.getNarrative, { params: { id } })
    expect(await citations(id)).toEqual([{ triplet_id: triplets[1]?.id, start: 0, end: SENTENCE.length }])
    // The specified response has no further field.
    expect(Object.keys(triplets[1] ?? {}).sort()).toEqual([
      'id',
      'narrative_data',
      'object',
      'subject',
      'verb',
    ])
  })

  it('are readable only by their author, and deleted and restored with the narrative', async () => {
    const id = await postText()
    const bob = await server.user('bob')
    const path = `/narratives/data/${id}/citations`
    expect((await bob.api.send('GET', path)).status).toBe(404)
    expect((await ana.api.send('GET', `/narratives/data/${newId()}/citations`)).status).toBe(404)
    await ana.api.call(narrativesApi.deleteNarrative, { params: { id } })
    expect((await ana.api.send('GET', path)).status).toBe(404)
    await ana.api.call(narrativesApi.restoreNarrative, { params: { id } })
    expect(await citations(id)).toHaveLength(1)
  })
})

describe('a quote', () => {
  const check = (id: string, exact: string, fields: object = {}) => {
    const start = TEXT.indexOf(exact)
    const place = { user_id: ana.id, start, end: start + exact.length, exact }
    return server.internal(narrativesInternal.checkQuote, { params: { id }, body: { ...place, ...fields } })
  }

  it('is accepted if an own narrative contains it at its position', async () => {
    const id = await postText({ src: 'https://example.org/a' })
    expect(await check(id, 'Nobody asks why.')).toEqual({
      kind: 'narrative',
      capture_id: null,
      prefix: `${SENTENCE} `,
      suffix: ' The moon is far.',
      manifest_hash: null,
      seq: null,
      url: 'https://example.org/a',
      captured_at: expect.stringMatching(/Z$/),
    })
    expect((await check(await postText({ src: 'notes/1.txt' }), 'far')).url).toBeNull()
  })

  it.each([
    [{ exact: 'nobody asks why.' }],
    [{ start: 0, end: 16 }],
    [{ start: -34, end: -18 }],
    [{ start: 18, end: 19, exact: TEXT.slice(18, 19) }],
    [{ start: 0, end: 1_000 }],
  ])('that differs is rejected (%#)', async fields => {
    const id = await postText()
    await expect(check(id, 'Nobody asks why.', fields)).rejects.toMatchObject({
      status: 422,
    })
  })

  it('of another user’s, an unknown or a deleted narrative is rejected', async () => {
    const id = await postText()
    const bob = await server.user('bob')
    const refusal = { status: 404, detail: DETAILS.notFound }
    await expect(check(id, 'far', { user_id: bob.id })).rejects.toMatchObject(refusal)
    await expect(check(newId(), 'far')).rejects.toMatchObject(refusal)
    await ana.api.call(narrativesApi.deleteNarrative, { params: { id } })
    await expect(check(id, 'far')).rejects.toMatchObject(refusal)
  })
})
