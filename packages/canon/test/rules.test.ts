import { propertyRuns, runs } from '@iodine/test-kit/runs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assign, conflictOf, keyOf, type Rule, RulesConflict } from '../src/index.js'

const must = (a: string, b: string): Rule => ({ kind: 'entity', a, b, relation: 'must' })
const cannot = (a: string, b: string): Rule => ({ kind: 'entity', a, b, relation: 'cannot' })

const tripletsOf = (labels: readonly string[]) =>
  labels.map(subject => ({ subject, verb: 'is', object: 'said' }))

/** Returns the cluster number of each key. */
const clusterNumbers = (labels: readonly string[], rules: readonly Rule[]) =>
  new Map(
    assign(tripletsOf(labels), { rules }).entities.flatMap(({ members }, n) =>
      members.map(({ key }) => [key, n] as const),
    ),
  )

describe('the rules', () => {
  it('join labels without common words, and separate labels with equal words', () => {
    const labels = ['Lake Varnel', 'the reservoir', 'LAKE VARNEL!', 'Nordic council']
    expect(clusterNumbers(labels, [])).toEqual(
      new Map([
        ['lake varnel', 0],
        ['lake varnel!', 0],
        ['nordic council', 1],
        ['said', 2],
        ['the reservoir', 3],
      ]),
    )
    const clusters = clusterNumbers(labels, [
      must('Lake  Varnel', 'The Reservoir'),
      cannot('lake varnel', 'Lake Varnel!'),
    ])
    expect(clusters.get('lake varnel')).toBe(clusters.get('the reservoir'))
    expect(clusters.get('lake varnel')).not.toBe(clusters.get('lake varnel!'))
  })

  it('apply to labels that occur in no triplet', () => {
    const clusters = clusterNumbers(['a1', 'b1'], [must('a1', 'gone'), must('gone', 'b1')])
    expect(clusters.get('a1')).toBe(clusters.get('b1'))
  })

  it('apply to one kind of label', () => {
    const rules: Rule[] = [{ ...must('a1', 'b1'), kind: 'verb' }]
    expect(clusterNumbers(['a1', 'b1'], rules)).toEqual(clusterNumbers(['a1', 'b1'], []))
    expect(conflictOf(rules, cannot('a1', 'b1'))).toEqual([])
  })

  it('return the rules that contradict a new rule', () => {
    const rules = [must('a', 'b'), must('b', 'c'), must('x', 'y'), cannot('c', 'x')]
    expect(conflictOf(rules, cannot('A', ' c'))).toEqual([rules[0], rules[1]])
    expect(conflictOf(rules, must('y', 'a'))).toEqual([rules[3], rules[2], rules[0], rules[1]])
    expect(conflictOf(rules, must('a', 'd'))).toEqual([])
    expect(conflictOf(rules, cannot('a', 'd'))).toEqual([])
    expect(conflictOf(rules, must('a', 'A'))).toEqual([])
    expect(conflictOf([], cannot('a', 'A '))).toEqual([cannot('a', 'A ')])
  })

  it('are rejected if they contradict each other', () => {
    const rules = [must('a', 'b'), must('b', 'c'), cannot('a', 'c')]
    const tried = () => assign(tripletsOf(['a']), { rules })
    expect(tried).toThrow(RulesConflict)
    try {
      tried()
    } catch (error) {
      expect((error as RulesConflict).rules).toEqual([rules[2], rules[0], rules[1]])
    }
  })
})

const WORDS = ['giant', 'mirrors', 'lake', 'varnel', 'council', 'nordic', 'secret']
const someLabel = fc
  .tuple(
    fc.constantFrom('', 'the '),
    fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }),
  )
  .map(([article, words]) => article + words.join(' '))
const someStep = fc.oneof(
  fc.record({ do: fc.constant('merge' as const), a: someLabel, b: someLabel }),
  fc.record({ do: fc.constant('split' as const), a: someLabel, b: someLabel }),
  fc.record({ do: fc.constant('text' as const), a: someLabel, b: someLabel }),
  fc.record({ do: fc.constant('undo' as const), at: fc.nat() }),
)

const STEPS = 50

/** `ROUNDS=10000 npx vitest run packages/canon/test/rules.test.ts` runs 10,000 steps. */
it('satisfies the rules after merges, splits, new texts and undoing', () => {
  fc.assert(
    fc.property(fc.array(someStep, { minLength: STEPS, maxLength: STEPS }), steps => {
      let rules: Rule[] = []
      const labels: string[] = []
      for (const step of steps) {
        if (step.do === 'undo') rules = rules.filter((_, n) => n !== step.at % (rules.length + 1))
        else if (step.do === 'text') labels.push(step.a, step.b)
        else {
          const rule = step.do === 'merge' ? must(step.a, step.b) : cannot(step.a, step.b)
          const conflict = conflictOf(rules, rule)
          if (conflict.length === 0) rules.push(rule)
          else {
            // The conflict consists of earlier rules, and contradicts itself without the others.
            expect(conflict.every(other => other === rule || rules.includes(other))).toBe(true)
            expect(() => assign([], { rules: [...conflict, rule] })).toThrow(RulesConflict)
          }
        }
        const clusters = clusterNumbers(labels, rules)
        for (const { a, b, relation } of rules) {
          const [first, second] = [clusters.get(keyOf(a)), clusters.get(keyOf(b))]
          if (first === undefined || second === undefined) continue
          expect(first === second).toBe(relation === 'must')
        }
        expect(new Set(clusters.keys())).toEqual(new Set(labels.length ? [...labels.map(keyOf), 'said'] : []))
      }
    }),
    { ...propertyRuns(2_000), numRuns: Math.ceil(runs(2_000) / STEPS) },
  )
})
