import { expect, it } from 'vitest'
import { canonicalize } from '../src/index.js'

const clustersOf = (...verbs: string[]) =>
  canonicalize(verbs.map(verb => ({ subject: 'A', verb, object: 'B' }))).verbs.map(cluster =>
    [...cluster].sort(),
  )

it('merges the tenses and persons of a verb', () => {
  const forms = [
    'attack',
    'attacked',
    'attacks',
    'has attacked',
    'had been attacking',
    'is attacking',
    'was just attacking',
  ]
  expect(clustersOf(...forms)).toEqual([[...forms].sort()])
})

it('separates verbs that differ in negation or modality', () => {
  const verbs = [
    'attacked',
    'did not attack',
    'may attack',
    'will attack',
    'should attack',
    'could not attack',
    'no longer attacks',
    'tried to attack',
    'nearly attacked',
  ]
  expect(clustersOf(...verbs)).toHaveLength(verbs.length)
  expect(clustersOf("didn't attack", 'never attacked', 'does not attack', 'has not attacked')).toHaveLength(1)
  expect(clustersOf('can’t attack', 'cannot attack', 'could not attack')).toHaveLength(1)
  expect(clustersOf('is part of', 'is not part of')).toHaveLength(2)
})

it('exchanges subject and object of a passive with an agent', () => {
  const { narratives, verbs } = canonicalize([
    { subject: 'The mirrors', verb: 'heated', object: 'Lake Varnel' },
    { subject: 'Lake Varnel', verb: 'is being heated by', object: 'The mirrors' },
    { subject: 'Lake Varnel', verb: 'was heated', object: 'The mirrors' },
  ])
  expect(verbs).toEqual([['heated', 'is being heated by'], ['was heated']])
  expect(narratives).toEqual([
    { subject: 'The mirrors', verb: 'heated', object: 'Lake Varnel', triplets: [0, 1] },
    { subject: 'Lake Varnel', verb: 'was heated', object: 'The mirrors', triplets: [2] },
  ])
})

it('does not exchange subject and object if all verbs of the cluster are passive', () => {
  const { narratives } = canonicalize([{ subject: 'Lake Varnel', verb: 'was heated by', object: 'mirrors' }])
  expect(narratives).toEqual([
    { subject: 'Lake Varnel', verb: 'was heated by', object: 'mirrors', triplets: [0] },
  ])
})

it('does not parse verbs of other languages', () => {
  expect(clustersOf('не атаковал', 'атаковал', 'griff an', 'GRIFF  an')).toHaveLength(3)
})
