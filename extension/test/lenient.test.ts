// @vitest-environment node
import { collectorApi, ingestResult, iodsApi, sealed } from '@iodine/contracts'
import { expect, test } from 'vitest'
import { isAnswer } from '../src/background/lenient'

const ID = 'a'.repeat(24)
const HASH = 'b'.repeat(64)
const TIME = '2026-11-21T10:00:00.000Z'

test.each([
  ['as agreed', { id: ID, status: 'created' }],
  ['a result with an unknown key', { id: ID, status: 'created', took: 5 }],
  ['an error with an unknown key', { error: ['main is missing'], code: 7 }],
])('accepts the result of a record: %s', (_, result) => {
  expect(isAnswer(ingestResult, result)).toBe(true)
  expect(isAnswer(collectorApi.ingestRecords.response, { results: [result], more: {} })).toBe(true)
})

test.each([
  ['no result', {}],
  ['only unknown keys', { took: 5 }],
  ['an unknown status', { id: ID, status: 'lost', took: 5 }],
  ['no id', { status: 'created', took: 5 }],
  ['an id of another type', { id: 5, status: 'created', took: 5 }],
  ['a numeric error', { error: 5, code: 7 }],
  ['text', '<html>'],
  ['null', null],
])('rejects the result of a record: %s', (_, result) => {
  expect(isAnswer(ingestResult, result)).toBe(false)
  expect(isAnswer(collectorApi.ingestRecords.response, { results: [result] })).toBe(false)
})

test('accepts unknown keys at any depth, but no other fault', () => {
  const answer = {
    seq: 4,
    seal: { seq: 4, manifest_hash: HASH, received_at: TIME, salt: 'x', witness: [] },
    proof: { seq: 4, size: 5, leaf_hash: HASH, path: [HASH] },
    checkpoint: { size: 5, root: HASH, at: TIME, key_id: 'k', sig: 's', anchors: [], next: {} },
  }
  expect(isAnswer(sealed, answer)).toBe(true)
  expect(isAnswer(sealed, { ...answer, seq: '4' })).toBe(false)
  expect(isAnswer(sealed, { ...answer, proof: { ...answer.proof, path: ['no hash'] } })).toBe(false)
  expect(isAnswer(iodsApi.lookupIods.response, [{ id: ID }])).toBe(false)
})
