import { Decimal128, type Document, Double, Int32, Long, ObjectId } from 'mongodb'
import { describe, expect, test } from 'vitest'
import { branch, exact, plain, useServer } from '../support.js'

const server = useServer()
const dec = (text: string) => Decimal128.fromString(text)
const long = (text: string) => Long.fromString(text)
const date = (text: string) => new Date(text)
const double = (value: number) => new Double(value)

const read = (dateString: unknown, format: unknown, more: Document = {}) => ({
  $dateFromString: { dateString, format, ...more },
})

const dateStrings: [expression: Document, value: unknown][] = [
  [read('06-15-2018', '%m-%d-%Y'), new Date('2018-06-15')],
  [read('15/6/2018 7:05:09', '%d/%m/%Y %H:%M:%S'), new Date('2018-06-15T07:05:09Z')],
  [read('2018-06-15T01:02:03.45', '%Y-%m-%dT%H:%M:%S.%L'), new Date('2018-06-15T01:02:03.450Z')],
  [read('Jun 15, 2018', '%b %d, %Y'), new Date('2018-06-15')],
  [read('15 february 2016', '%d %B %Y'), new Date('2016-02-15')],
  [read('2018/166', '%Y/%j'), new Date('2018-06-15')],
  [read('2018-24-5', '%G-%V-%u'), new Date('2018-06-15')],
  [read('2018-06-15 10:00 +0200', '%Y-%m-%d %H:%M %z'), new Date('2018-06-15T08:00:00Z')],
  [read('2018-06-15 10:00 +02:30', '%Y-%m-%d %H:%M %z'), new Date('2018-06-15T07:30:00Z')],
  [read('2018-06-15 10:00 Europe/Paris', '%Y-%m-%d %H:%M %z'), new Date('2018-06-15T08:00:00Z')],
  [read('2018-06-15 10:00 -300', '%Y-%m-%d %H:%M %Z'), new Date('2018-06-15T15:00:00Z')],
  [read('100% 2018-06-15', '100%% %Y-%m-%d'), new Date('2018-06-15')],
  [read('(2018).[06]*15', '(%Y).[%m]*%d'), new Date('2018-06-15')],
  [read('15.06.2018', '%d.%m.%Y', { timezone: 'America/New_York' }), new Date('2018-06-15T04:00:00Z')],
  [read('15.06.2018', '%d.%m.%Y', { timezone: '+01' }), new Date('2018-06-14T23:00:00Z')],
  [read('2018-02-30', '%Y-%m-%d'), { code: 241 }],
  [read('2018-13-01', '%Y-%m-%d'), { code: 241 }],
  [read('2018-366', '%Y-%j'), { code: 241 }],
  [read('2018-53-1', '%G-%V-%u'), { code: 241 }],
  [read('2018-06-15 24:00', '%Y-%m-%d %H:%M'), { code: 241 }],
  [read('18-06-15', '%Y-%m-%d'), { code: 241 }],
  [read('2018-06', '%Y-%m'), { code: 241 }],
  [read('2018-06-15 and more', '%Y-%m-%d'), { code: 241 }],
  [read('2018-06-15 Nowhere/There', '%Y-%m-%d %z'), { code: 241 }],
  [read('2018-06-15 Z', '%Y-%m-%d %z', { timezone: 'UTC' }), { code: 241 }],
  [read('2018-06-15', '%Y-%m-%d %q'), { code: 18536 }],
  [read('2018-06-15', '%Y-%m-%d%'), { code: 18535 }],
  [read('2018-06-15', 5), { code: 40684 }],
  [read('2018-06-15', '%d.%m.%Y', { onError: 'bad' }), 'bad'],
  [read(5, '%d.%m.%Y', { onError: 'bad' }), 'bad'],
  [read(null, '%d.%m.%Y', { onNull: 'none' }), 'none'],
  [read('2018-06-15', null), null],
  [read('2018-06-15', '%Y-%m-%d', { timezone: null }), null],
  [{ $dateFromString: { dateString: '2018-06-15T10:00:00Z', timezone: '+01:00' } }, { code: 241 }],
  [
    { $dateFromParts: { isoWeekYear: 2018, isoWeek: 24, isoDayOfWeek: 5, hour: 3 } },
    new Date('2018-06-15T03:00:00Z'),
  ],
  [{ $dateFromParts: { isoWeekYear: 2018, month: 2 } }, { code: 40525 }],
  [{ $dateFromParts: { month: 2 } }, { code: 40516 }],
  [{ $dateToString: { date: '$t', timezone: 'Europe/Paris' } }, '2026-03-01T13:34:56.789'],
  [
    { $dateToString: { date: '$t', format: '%d %b %Y, %B, week %V, day %j, %w/%u, %Z' } },
    '01 Mar 2026, March, week 09, day 060, 1/7, 0',
  ],
  [{ $dateToString: { date: '$t', format: '%' } }, { code: 18535 }],
  [{ $dateToString: { date: '$t', format: '%q' } }, { code: 18536 }],
]

describe('expressions', () => {
  const doc = {
    n: 7,
    d: 2.5,
    s: 'Hello',
    u: 'naïve 😀',
    a: [3, 1, 2],
    o: { x: 1, y: 'z' },
    list: [
      { k: 'a', v: 1 },
      { k: 'b', v: 2 },
    ],
    z: null,
    t: date('2026-03-01T12:34:56.789Z'),
    id: new ObjectId('65f000000000000000000001'),
    big: long('9223372036854775807'),
    dec: dec('1.25'),
  }

  /** Expressions with their values or error codes; undefined for a missing field. */
  const cases: [expression: unknown, value: unknown][] = [
    // Arithmetic and types.
    [{ $add: ['$n', 1] }, 8],
    [{ $add: ['$n', '$d'] }, double(9.5)],
    [{ $add: ['$n', '$dec'] }, dec('8.25')],
    [{ $add: ['$n', null] }, null],
    [{ $add: ['$n', '$missing'] }, null],
    [{ $add: ['$t', 1000] }, date('2026-03-01T12:34:57.789Z')],
    [{ $add: ['$n', 'x'] }, { code: 14 }],
    [{ $add: ['$big', 1] }, double(2 ** 63)],
    [{ $add: [2147483647, 1] }, long('2147483648')],
    [{ $subtract: ['$n', 10] }, -3],
    [{ $subtract: ['$t', date('2026-03-01T12:34:56Z')] }, long('789')],
    [{ $subtract: ['$t', 789] }, date('2026-03-01T12:34:56Z')],
    [{ $multiply: ['$n', 2, 3] }, 42],
    [{ $divide: ['$n', 2] }, double(3.5)],
    [{ $divide: [6, 2] }, double(3)],
    [{ $divide: [1, 0] }, { code: 2 }],
    [{ $divide: [dec('1'), 3] }, dec('0.3333333333333333333333333333333333')],
    [{ $mod: [7, 3] }, 1],
    [{ $mod: [-7, 3] }, -1],
    [{ $mod: [7.5, 2] }, double(1.5)],
    [{ $mod: [1, 0] }, { code: 16610 }],
    [{ $abs: -5 }, 5],
    [{ $ceil: 2.1 }, double(3)],
    [{ $floor: -2.1 }, double(-3)],
    [{ $round: 2.5 }, double(2)],
    [{ $round: 3.5 }, double(4)],
    [{ $round: [19.25, 1] }, double(19.2)],
    [{ $round: [1234, -2] }, 1200],
    [{ $trunc: [1.239, 2] }, double(1.23)],
    [{ $trunc: -2.9 }, double(-2)],
    [{ $sqrt: 16 }, double(4)],
    [{ $sqrt: -1 }, { code: 28714 }],
    [{ $pow: [2, 10] }, 1024],
    [{ $pow: [2, 40] }, long('1099511627776')],
    [{ $pow: [2, -1] }, double(0.5)],
    [{ $exp: 0 }, double(1)],
    [{ $ln: 1 }, double(0)],
    [{ $log: [8, 2] }, double(3)],
    [{ $log10: 1000 }, double(3)],
    // Comparison.
    [{ $eq: ['$n', 7] }, true],
    [{ $eq: ['$n', double(7)] }, true],
    [{ $eq: ['$z', '$missing'] }, false],
    [{ $ne: ['$n', 8] }, true],
    [{ $gt: ['$s', '$n'] }, true],
    [{ $lt: ['$missing', '$z'] }, true],
    [{ $lte: [null, 0] }, true],
    [{ $cmp: ['a', 'b'] }, -1],
    [{ $cmp: [[1, 2], [1]] }, 1],
    // Logic and conditions.
    [{ $and: [1, 'x', []] }, true],
    [{ $and: [] }, true],
    [{ $or: [0, null] }, false],
    [{ $or: [] }, false],
    [{ $not: [0] }, true],
    [{ $not: ['x'] }, false],
    [{ $cond: [{ $gt: ['$n', 5] }, 'big', 'small'] }, 'big'],
    [
      {
        $cond: Object.fromEntries([
          ['if', '$z'],
          ['then', 1],
          ['else', 2],
        ]),
      },
      2,
    ],
    [{ $ifNull: ['$z', '$missing', 'x'] }, 'x'],
    [{ $ifNull: ['$n', 'x'] }, 7],
    [{ $switch: { branches: [branch({ $eq: ['$n', 1] }, 'one')], default: 'other' } }, 'other'],
    [{ $switch: { branches: [branch(false, 1)] } }, { code: 40069 }],
    // Arrays.
    [{ $size: '$a' }, 3],
    [{ $size: '$n' }, { code: 17124 }],
    [{ $arrayElemAt: ['$a', 0] }, 3],
    [{ $arrayElemAt: ['$a', -1] }, 2],
    [{ $arrayElemAt: ['$a', 9] }, undefined],
    [{ $first: '$a' }, 3],
    [{ $last: '$a' }, 2],
    [{ $slice: ['$a', 2] }, [3, 1]],
    [{ $slice: ['$a', -2] }, [1, 2]],
    [{ $slice: ['$a', 1, 1] }, [1]],
    [{ $concatArrays: ['$a', [9]] }, [3, 1, 2, 9]],
    [{ $concatArrays: ['$a', null] }, null],
    [{ $in: [1, '$a'] }, true],
    [{ $in: [1, '$n'] }, { code: 40081 }],
    [{ $indexOfArray: ['$a', 2] }, 2],
    [{ $isArray: ['$a'] }, true],
    [{ $map: { input: '$a', as: 'i', in: { $multiply: ['$$i', 2] } } }, [6, 2, 4]],
    [{ $map: { input: '$a', in: '$$this' } }, [3, 1, 2]],
    [{ $filter: { input: '$a', as: 'i', cond: { $gt: ['$$i', 1] } } }, [3, 2]],
    [{ $filter: { input: '$a', cond: { $gt: ['$$this', 0] }, limit: 2 } }, [3, 1]],
    [{ $reduce: { input: '$a', initialValue: 0, in: { $add: ['$$value', '$$this'] } } }, 6],
    [{ $range: [0, 6, 2] }, [0, 2, 4]],
    [{ $reverseArray: '$a' }, [2, 1, 3]],
    [{ $sortArray: { input: '$a', sortBy: 1 } }, [1, 2, 3]],
    [
      { $sortArray: { input: '$list', sortBy: { v: -1 } } },
      [
        { k: 'b', v: 2 },
        { k: 'a', v: 1 },
      ],
    ],
    [{ $zip: { inputs: [[1, 2], ['a']] } }, [[1, 'a']]],
    [
      { $zip: { inputs: [[1, 2], ['a']], useLongestLength: true, defaults: [0, 'x'] } },
      [
        [1, 'a'],
        [2, 'x'],
      ],
    ],
    [{ $arrayToObject: '$list' }, { a: 1, b: 2 }],
    [
      { $objectToArray: '$o' },
      [
        { k: 'x', v: 1 },
        { k: 'y', v: 'z' },
      ],
    ],
    [
      {
        $setUnion: [
          [1, 2],
          [2, 3],
        ],
      },
      [1, 2, 3],
    ],
    [
      {
        $setIntersection: [
          [1, 2],
          [2, 3],
        ],
      },
      [2],
    ],
    [
      {
        $setDifference: [
          [1, 2],
          [2, 3],
        ],
      },
      [1],
    ],
    [
      {
        $setEquals: [
          [1, 2, 2],
          [2, 1],
        ],
      },
      true,
    ],
    [{ $setIsSubset: [[1], [1, 2]] }, true],
    [{ $anyElementTrue: [[0, 1]] }, true],
    [{ $allElementsTrue: [[0, 1]] }, false],
    [{ $sum: '$a' }, 6],
    [{ $sum: ['$n', 1, 'x'] }, 8],
    [{ $avg: '$a' }, double(2)],
    [{ $max: '$a' }, 3],
    [{ $min: ['$n', 3] }, 3],
    [{ $maxN: { input: '$a', n: 2 } }, [3, 2]],
    [{ $firstN: { input: '$a', n: 2 } }, [3, 1]],
    ['$list.v', [1, 2]],
    ['$list.missing', []],
    // Texts.
    [{ $concat: ['$s', ' ', 'World'] }, 'Hello World'],
    [{ $concat: ['$s', null] }, null],
    [{ $concat: ['$s', 1] }, { code: 16702 }],
    [{ $toLower: '$s' }, 'hello'],
    [{ $toUpper: 'naïve' }, 'NAïVE'],
    [{ $toLower: null }, ''],
    [{ $strLenBytes: '$u' }, 11],
    [{ $strLenCP: '$u' }, 7],
    [{ $substrCP: ['$u', 2, 3] }, 'ïve'],
    [{ $substrBytes: ['$s', 1, 3] }, 'ell'],
    [{ $substrBytes: ['$u', 3, 1] }, { code: 28656 }],
    [{ $substr: ['$s', 1, -1] }, 'ello'],
    [{ $indexOfCP: ['$u', '😀'] }, 6],
    [{ $indexOfBytes: ['$u', '😀'] }, 7],
    [{ $indexOfCP: ['$s', 'q'] }, -1],
    [{ $split: ['a,b,c', ','] }, ['a', 'b', 'c']],
    [{ $trim: { input: '  x ' } }, 'x'],
    [{ $ltrim: { input: 'xxay', chars: 'x' } }, 'ay'],
    [{ $rtrim: { input: 'ayxx', chars: 'x' } }, 'ay'],
    [{ $strcasecmp: ['HELLO', '$s'] }, 0],
    [{ $regexMatch: { input: '$s', regex: 'HELL', options: 'i' } }, true],
    [{ $regexFind: { input: '$s', regex: '(l)(o)?' } }, { match: 'l', idx: 2, captures: ['l', null] }],
    [
      { $regexFindAll: { input: 'a1b2', regex: '[0-9]' } },
      [
        { match: '1', idx: 1, captures: [] },
        { match: '2', idx: 3, captures: [] },
      ],
    ],
    [{ $replaceOne: { input: 'aXbX', find: 'X', replacement: '-' } }, 'a-bX'],
    [{ $replaceAll: { input: 'aXbX', find: 'X', replacement: { $literal: '$&' } } }, 'a$&b$&'],
    // Types.
    [{ $type: '$n' }, 'int'],
    [{ $type: '$missing' }, 'missing'],
    [{ $type: '$d' }, 'double'],
    [{ $isNumber: '$dec' }, true],
    [{ $toString: '$n' }, '7'],
    [{ $toString: '$id' }, '65f000000000000000000001'],
    [{ $toString: '$t' }, '2026-03-01T12:34:56.789Z'],
    [{ $toInt: '12' }, 12],
    [{ $toInt: 3.9 }, 3],
    [{ $toInt: '1.5' }, { code: 241 }],
    [{ $toInt: long('9999999999') }, { code: 241 }],
    [{ $toLong: '$n' }, long('7')],
    [{ $toDouble: '1.5' }, double(1.5)],
    [{ $toDecimal: '1.10' }, dec('1.10')],
    [{ $toBool: 'false' }, true],
    [{ $toBool: 0 }, false],
    [{ $toDate: '2026-03-01' }, date('2026-03-01')],
    [{ $toDate: long('0') }, date('1970-01-01')],
    [{ $toDate: '$id' }, date('2024-03-12T07:10:56.000Z')],
    [{ $toObjectId: '65f000000000000000000001' }, new ObjectId('65f000000000000000000001')],
    [{ $toObjectId: 'x' }, { code: 241 }],
    [{ $convert: { input: 'x', to: 'int', onError: 0 } }, 0],
    [{ $convert: { input: null, to: 'int', onNull: -1 } }, -1],
    // Dates.
    [{ $year: '$t' }, 2026],
    [{ $month: '$t' }, 3],
    [{ $dayOfMonth: '$t' }, 1],
    [{ $dayOfWeek: '$t' }, 1],
    [{ $dayOfYear: '$t' }, 60],
    [{ $hour: '$t' }, 12],
    [{ $minute: '$t' }, 34],
    [{ $second: '$t' }, 56],
    [{ $millisecond: '$t' }, 789],
    [{ $isoWeek: '$t' }, 9],
    [{ $isoDayOfWeek: '$t' }, 7],
    [{ $hour: { date: '$t', timezone: '+02:00' } }, 14],
    [{ $hour: { date: '$t', timezone: 'Europe/Paris' } }, 13],
    [{ $hour: { date: date('2026-07-01T12:00:00Z'), timezone: 'Europe/Paris' } }, 14],
    [{ $dateToString: { date: '$t', format: '%Y-%m-%d' } }, '2026-03-01'],
    [{ $dateToString: { date: '$t' } }, '2026-03-01T12:34:56.789Z'],
    [{ $dateToString: { date: '$t', format: '%H:%M %z', timezone: 'Europe/Paris' } }, '13:34 +0100'],
    [{ $dateToString: { date: '$z', onNull: 'never' } }, 'never'],
    [{ $dateTrunc: { date: '$t', unit: 'hour' } }, date('2026-03-01T12:00:00Z')],
    [{ $dateTrunc: { date: '$t', unit: 'month' } }, date('2026-03-01T00:00:00Z')],
    [{ $dateTrunc: { date: '$t', unit: 'week', startOfWeek: 'monday' } }, date('2026-02-23T00:00:00Z')],
    [{ $dateTrunc: { date: '$t', unit: 'day', timezone: 'America/New_York' } }, date('2026-03-01T05:00:00Z')],
    [{ $dateAdd: { startDate: date('2026-01-31'), unit: 'month', amount: 1 } }, date('2026-02-28')],
    [{ $dateSubtract: { startDate: '$t', unit: 'day', amount: 1 } }, date('2026-02-28T12:34:56.789Z')],
    [{ $dateDiff: { startDate: date('2025-12-31'), endDate: date('2026-01-01'), unit: 'year' } }, long('1')],
    [{ $dateFromParts: { year: 2026, month: 2, day: 3 } }, date('2026-02-03')],
    [
      { $dateToParts: { date: '$t' } },
      { year: 2026, month: 3, day: 1, hour: 12, minute: 34, second: 56, millisecond: 789 },
    ],
    [{ $dateFromString: { dateString: '2026-02-03T04:05:06Z' } }, date('2026-02-03T04:05:06Z')],
    ...dateStrings,
    [{ $year: 'x' }, { code: 16006 }],
    // Documents and variables.
    [{ $mergeObjects: ['$o', { y: 2, w: 3 }] }, { x: 1, y: 2, w: 3 }],
    [{ $getField: { field: 'x', input: '$o' } }, 1],
    [{ $setField: { field: 'q', input: '$o', value: 5 } }, { x: 1, y: 'z', q: 5 }],
    [{ $unsetField: { field: 'x', input: '$o' } }, { y: 'z' }],
    [{ $let: { vars: { a: 2, b: '$n' }, in: { $multiply: ['$$a', '$$b'] } } }, 14],
    [{ $literal: '$n' }, '$n'],
    ['$$ROOT.n', 7],
    ['$$REMOVE', undefined],
    [{ x: '$n', y: '$missing' }, { x: 7 }],
    [
      ['$n', '$missing'],
      [7, null],
    ],
    ['$$unknown', { code: 17276 }],
    [{ $what: 1 }, { code: 168 }],
    [{ $function: { body: 'f', args: [], lang: 'js' } }, { code: 238 }],
    ['$', { code: 16872 }],
  ]
  const isError = (value: unknown): value is { code: number } =>
    typeof value === 'object' && value !== null && 'code' in value && Object.keys(value).length === 1

  test.each(cases.map(([expression, value]) => [JSON.stringify(expression), expression, value] as const))(
    '%s',
    async (_, expression, value) => {
      const name = await server.holding([doc])
      const pipeline = [{ $replaceWith: { v: expression } }]
      if (isError(value)) {
        expect((await server.failure({ aggregate: name, pipeline, cursor: {} })).code).toBe(value.code)
        return
      }
      const [row] = await server.aggregate(name, pipeline)
      expect(exact(row)).toBe(exact(value === undefined ? {} : { v: value }))
    },
  )
})

describe('stages', () => {
  const sales = [
    { _id: 1, item: 'abc', price: 10, quantity: 2, tags: ['x', 'y'] },
    { _id: 2, item: 'jkl', price: 20, quantity: 1, tags: [] },
    { _id: 3, item: 'xyz', price: 5, quantity: 10 },
    { _id: 4, item: 'abc', price: 10, quantity: 5, tags: ['y'] },
    { _id: 5, item: null, price: double(2.5), quantity: 4, tags: 'z' },
  ]
  const ints = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(ints)
    if (value instanceof Date || value === null || typeof value !== 'object' || '_bsontype' in value)
      return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, ints(one)]))
  }

  /** Pipelines over the sales, with their rows or error codes. */
  const cases: [name: string, pipeline: Document[], rows: Document[] | number][] = [
    [
      '$match and $project',
      [{ $match: { item: 'abc' } }, { $project: { item: 1 } }],
      [
        { _id: 1, item: 'abc' },
        { _id: 4, item: 'abc' },
      ],
    ],
    [
      '$project leaves out',
      [{ $match: { _id: 1 } }, { $project: { tags: 0, _id: 0 } }],
      [{ item: 'abc', price: 10, quantity: 2 }],
    ],
    [
      '$project computes',
      [
        { $match: { _id: 1 } },
        { $project: { _id: 0, total: { $multiply: ['$price', '$quantity'] }, item: 1 } },
      ],
      [{ item: 'abc', total: 20 }],
    ],
    [
      '$project renames',
      [{ $match: { _id: 1 } }, { $project: { what: '$item' } }],
      [{ _id: 1, what: 'abc' }],
    ],
    ['$project mixing both is refused', [{ $project: { a: 1, b: 0 } }], 31254],
    ['$project of nothing is refused', [{ $project: {} }], 51272],
    [
      '$addFields',
      [{ $match: { _id: 3 } }, { $addFields: { price: { $add: ['$price', 1] }, 'x.y': 1 } }],
      [{ _id: 3, item: 'xyz', price: 6, quantity: 10, x: { y: 1 } }],
    ],
    [
      '$set is $addFields',
      [{ $match: { _id: 3 } }, { $set: { item: '$$REMOVE' } }],
      [{ _id: 3, price: 5, quantity: 10 }],
    ],
    ['$unset', [{ $match: { _id: 3 } }, { $unset: ['item', 'price'] }], [{ _id: 3, quantity: 10 }]],
    [
      '$group with $sum',
      [{ $group: { _id: '$item', n: { $sum: '$quantity' } } }, { $sort: { _id: 1 } }],
      [
        { _id: null, n: 4 },
        { _id: 'abc', n: 7 },
        { _id: 'jkl', n: 1 },
        { _id: 'xyz', n: 10 },
      ],
    ],
    ['$group with $sum of 1', [{ $group: { _id: null, n: { $sum: 1 } } }], [{ _id: null, n: 5 }]],
    ['$group with $count', [{ $group: { _id: null, n: { $count: {} } } }], [{ _id: null, n: 5 }]],
    [
      '$group with $avg',
      [{ $match: { item: 'abc' } }, { $group: { _id: null, n: { $avg: '$quantity' } } }],
      [{ _id: null, n: double(3.5) }],
    ],
    [
      '$group with $min and $max',
      [{ $group: { _id: null, low: { $min: '$price' }, high: { $max: '$price' } } }],
      [{ _id: null, low: double(2.5), high: 20 }],
    ],
    [
      '$group with $first and $last',
      [
        { $sort: { _id: 1 } },
        { $group: { _id: null, first: { $first: '$item' }, last: { $last: '$price' } } },
      ],
      [{ _id: null, first: 'abc', last: double(2.5) }],
    ],
    [
      '$group with $push',
      [{ $match: { item: 'abc' } }, { $group: { _id: '$item', ids: { $push: '$_id' } } }],
      [{ _id: 'abc', ids: [1, 4] }],
    ],
    [
      '$group with $addToSet',
      [{ $match: { price: 10 } }, { $group: { _id: null, items: { $addToSet: '$item' } } }],
      [{ _id: null, items: ['abc'] }],
    ],
    [
      '$group by a document',
      [{ $match: { price: 10 } }, { $group: { _id: { i: '$item', p: '$price' }, n: { $sum: 1 } } }],
      [{ _id: { i: 'abc', p: 10 }, n: 2 }],
    ],
    [
      '$group with $topN',
      [{ $group: { _id: null, top: { $topN: { n: 2, sortBy: { quantity: -1 }, output: '$_id' } } } }],
      [{ _id: null, top: [3, 4] }],
    ],
    ['$group of nothing', [{ $match: { item: 'none' } }, { $group: { _id: null, n: { $sum: 1 } } }], []],
    ['$group with an unknown accumulator', [{ $group: { _id: null, n: { $what: 1 } } }], 15952],
    ['$group without _id', [{ $group: { n: { $sum: 1 } } }], 15955],
    [
      '$sort, $skip, $limit',
      [{ $sort: { price: -1, _id: 1 } }, { $skip: 1 }, { $limit: 2 }, { $project: { _id: 1 } }],
      [{ _id: 1 }, { _id: 4 }],
    ],
    ['$limit 0 is refused', [{ $limit: 0 }], 15958],
    [
      '$unwind',
      [{ $unwind: '$tags' }, { $project: { tags: 1 } }],
      [
        { _id: 1, tags: 'x' },
        { _id: 1, tags: 'y' },
        { _id: 4, tags: 'y' },
        { _id: 5, tags: 'z' },
      ],
    ],
    [
      '$unwind keeping empties',
      [
        { $unwind: { path: '$tags', preserveNullAndEmptyArrays: true } },
        { $match: { _id: { $in: [2, 3] } } },
        { $project: { tags: 1 } },
      ],
      [{ _id: 2 }, { _id: 3 }],
    ],
    [
      '$unwind with the index',
      [
        { $match: { _id: 1 } },
        { $unwind: { path: '$tags', includeArrayIndex: 'i' } },
        { $project: { tags: 1, i: 1 } },
      ],
      [
        { _id: 1, tags: 'x', i: long('0') },
        { _id: 1, tags: 'y', i: long('1') },
      ],
    ],
    ['$unwind without a dollar', [{ $unwind: 'tags' }], 28818],
    ['$count', [{ $match: { price: { $gte: 10 } } }, { $count: 'n' }], [{ n: 3 }]],
    ['$count of nothing', [{ $match: { price: 99 } }, { $count: 'n' }], []],
    [
      '$sortByCount',
      [{ $match: { item: { $ne: null } } }, { $sortByCount: '$item' }, { $limit: 1 }],
      [{ _id: 'abc', count: 2 }],
    ],
    [
      '$replaceRoot',
      [{ $match: { _id: 3 } }, { $replaceRoot: { newRoot: { was: '$item' } } }],
      [{ was: 'xyz' }],
    ],
    ['$replaceRoot by no document', [{ $replaceRoot: { newRoot: '$price' } }], 40228],
    [
      '$facet',
      [
        {
          $facet: {
            count: [{ $count: 'n' }],
            cheap: [{ $match: { price: { $lt: 5 } } }, { $project: { _id: 1 } }],
            none: [{ $match: { _id: 99 } }],
          },
        },
      ],
      [{ count: [{ n: 5 }], cheap: [{ _id: 5 }], none: [] }],
    ],
    ['$facet in $facet', [{ $facet: { a: [{ $facet: { b: [] } }] } }], 40600],
    [
      '$lookup',
      [
        { $match: { _id: 1 } },
        { $lookup: { from: 'stock', localField: 'item', foreignField: 'sku', as: 's' } },
        { $project: { s: 1 } },
      ],
      [{ _id: 1, s: [{ _id: 1, sku: 'abc', left: 120 }] }],
    ],
    [
      '$lookup of null finds missing',
      [
        { $match: { _id: 5 } },
        { $lookup: { from: 'stock', localField: 'item', foreignField: 'sku', as: 's' } },
        { $project: { s: '$s._id' } },
      ],
      [{ _id: 5, s: [3, 4] }],
    ],
    [
      '$lookup by elements',
      [
        { $match: { _id: 4 } },
        { $set: { l: ['abc', 'def'] } },
        { $lookup: { from: 'stock', localField: 'l', foreignField: 'sku', as: 's' } },
        { $project: { s: '$s._id' } },
      ],
      [{ _id: 4, s: [1, 2] }],
    ],
    [
      '$lookup with a pipeline',
      [
        { $match: { _id: 4 } },
        {
          $lookup: {
            from: 'stock',
            let: { want: '$quantity', item: '$item' },
            pipeline: [
              { $match: { $expr: { $and: [{ $eq: ['$sku', '$$item'] }, { $gte: ['$left', '$$want'] }] } } },
              { $project: { _id: 0, left: 1 } },
            ],
            as: 's',
          },
        },
        { $project: { s: 1 } },
      ],
      [{ _id: 4, s: [{ left: 120 }] }],
    ],
    [
      '$lookup with both',
      [
        { $match: { _id: 1 } },
        {
          $lookup: {
            from: 'stock',
            localField: 'item',
            foreignField: 'sku',
            pipeline: [{ $match: { left: { $gt: 500 } } }],
            as: 's',
          },
        },
        { $project: { s: 1 } },
      ],
      [{ _id: 1, s: [] }],
    ],
    [
      '$unionWith',
      [
        { $match: { _id: 1 } },
        { $project: { _id: 1 } },
        { $unionWith: { coll: 'stock', pipeline: [{ $match: { sku: 'def' } }] } },
      ],
      [{ _id: 1 }, { _id: 2, sku: 'def', left: 80 }],
    ],
    ['$sample of more than there are', [{ $sample: { size: 99 } }, { $count: 'n' }], [{ n: 5 }]],
    ['an unknown stage', [{ $what: {} }], 40324],
    ['$out is not supported', [{ $out: 'x' }], 40324],
    ['a change stream', [{ $changeStream: {} }], 40573],
    ['two stages in one', [{ $limit: 1, $skip: 1 }], 40323],
  ]

  test.each(cases)('%s', async (_, pipeline, rows) => {
    const name = await server.holding(sales)
    await server.run({ drop: 'stock' })
    await server.run({
      insert: 'stock',
      documents: [
        { _id: 1, sku: 'abc', left: 120 },
        { _id: 2, sku: 'def', left: 80 },
        { _id: 3, sku: null },
        { _id: 4 },
      ],
    })
    if (typeof rows === 'number') {
      expect((await server.failure({ aggregate: name, pipeline, cursor: {} })).code).toBe(rows)
      return
    }
    expect(exact(await server.aggregate(name, pipeline))).toBe(exact(ints(rows)))
  })

  test('$$NOW and let', async () => {
    const name = await server.holding([{ _id: 1, at: new Date(0) }])
    const reply = await server.run({
      find: name,
      filter: { $expr: { $and: [{ $lt: ['$at', '$$NOW'] }, { $eq: ['$_id', '$$one'] }] } },
      let: { one: 1 },
    })
    expect(reply.cursor.firstBatch.length).toBe(1)
  })

  test('sums compensate rounding errors', async () => {
    const name = await server.holding(
      Array.from({ length: 10 }, () => ({ v: 0.1, n: 2147483647, l: long('9007199254740993') })),
    )
    const [row] = await server.aggregate(name, [
      { $group: { _id: null, v: { $sum: '$v' }, avg: { $avg: '$v' }, n: { $sum: '$n' }, l: { $sum: '$l' } } },
      { $project: { _id: 0 } },
    ])
    expect(exact(row)).toBe(
      exact({ v: double(1), avg: double(0.1), n: long('21474836470'), l: long('90071992547409930') }),
    )
  })

  test('a group over mixed numeric types sums in the widest type', async () => {
    const name = await server.holding([{ v: 1 }, { v: long('2') }, { v: double(0.5) }, { v: dec('0.25') }])
    const [row] = await server.aggregate(name, [{ $group: { _id: null, v: { $sum: '$v' } } }])
    expect(row?.v).toBeInstanceOf(Decimal128)
    expect(plain(row?.v)).toBe(3.75)
  })
})

describe('projections of find', () => {
  const doc = {
    _id: new Int32(1),
    a: 1,
    b: { c: 2, d: 3 },
    l: [{ x: 1, y: 1 }, { x: 2, y: 2 }, { x: 3 }],
    n: [5, 6, 7, 8],
  }
  const cases: [name: string, projection: Document, row: Document | number, filter?: Document][] = [
    ['inclusion', { a: 1 }, { _id: 1, a: 1 }],
    ['inclusion without _id', { a: 1, _id: 0 }, { a: 1 }],
    ['exclusion', { l: 0, n: 0, b: 0 }, { _id: 1, a: 1 }],
    ['_id alone', { _id: 1 }, { _id: 1 }],
    ['a path', { 'b.c': 1, _id: 0 }, { b: { c: 2 } }],
    ['a path left out', { 'b.c': 0, l: 0, n: 0 }, { _id: 1, a: 1, b: { d: 3 } }],
    ['a nested specification', { b: { d: 1 }, _id: 0 }, { b: { d: 3 } }],
    ['a path through an array', { 'l.y': 1, _id: 0 }, { l: [{ y: 1 }, { y: 2 }, {}] }],
    ['a path below a scalar', { 'a.q': 1, _id: 0 }, {}],
    ['the order of the document stays', { n: 1, a: 1, _id: 0 }, { a: 1, n: [5, 6, 7, 8] }],
    ['$slice keeps the rest of the document', { n: { $slice: 2 }, l: 0, b: 0 }, { _id: 1, a: 1, n: [5, 6] }],
    ['a negative $slice', { n: { $slice: -1 }, _id: 1, a: 1 }, { _id: 1, a: 1, n: [8] }],
    ['$slice with skip', { n: { $slice: [1, 2] }, a: 1, _id: 0 }, { a: 1, n: [6, 7] }],
    [
      '$elemMatch gives the first that matches',
      { l: { $elemMatch: { x: { $gt: 1 } } }, _id: 0 },
      { l: [{ x: 2, y: 2 }] },
    ],
    ['$elemMatch that matches nothing', { l: { $elemMatch: { x: 9 } } }, { _id: 1 }],
    ['the positional $', { 'n.$': 1, _id: 0 }, { n: [7] }, { n: { $gt: 6 } }],
    ['an expression', { _id: 0, sum: { $add: ['$a', '$b.c'] } }, { sum: 3 }],
    ['a text is a field path', { _id: 0, q: '$b.d' }, { q: 3 }],
    ['mixing both is refused', { a: 1, b: 0 }, 31254],
    ['mixing both the other way is refused', { a: 0, b: 1 }, 31253],
    ['a path and one inside it are refused', { b: 1, 'b.c': 1 }, 31249],
  ]
  test.each(cases)('%s', async (_, projection, row, filter = {}) => {
    const name = await server.holding([doc])
    if (typeof row === 'number') {
      expect((await server.failure({ find: name, projection })).code).toBe(row)
      return
    }
    const [found] = await server.find(name, { projection, filter })
    expect(exact(found)).toBe(exact(row))
    expect(plain(Object.keys(found ?? {}).length)).toBe(Object.keys(row).length)
  })
})
