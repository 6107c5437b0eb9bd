// @vitest-environment node
import { collectorApi, ingestResult, iodsApi, sealed } from '@iodine/contracts'
import { expect, test } from 'vitest'
import { isAnswer } from '../src/background/lenient'

const ID = 'a'.repeat(24)
const HASH = 'b'.repeat(64)
const TIME = '2026-11-21T10:00:00.000Z'

test.each([
  ['as agreed', { id: ID, status: 'created' }],
  ['a result that says more', { id: ID, status: 'created', took: 5 }],
  ['a refusal that says more', { error: ['main is missing'], code: 7 }],
])('a result of a record is taken: %s', (_, result) => {
  expect(isAnswer(ingestResult, result)).toBe(true)
  expect(isAnswer(collectorApi.ingestRecords.response, { results: [result], more: {} })).toBe(true)
})

test.each([
  ['no result', {}],
  ['further keys alone', { took: 5 }],
  ['an unknown status', { id: ID, status: 'lost', took: 5 }],
  ['no id', { status: 'created', took: 5 }],
  ['an id of another kind', { id: 5, status: 'created', took: 5 }],
  ['a refusal that is a number', { error: 5, code: 7 }],
  ['text', '<html>'],
  ['null', null],
])('a result of a record is not taken: %s', (_, result) => {
  expect(isAnswer(ingestResult, result)).toBe(false)
  expect(isAnswer(collectorApi.ingestRecords.response, { results: [result] })).toBe(false)
})

test('further keys are taken at any depth, other faults beside them are not', () => {
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
