import {
  Binary,
  BSONRegExp,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'mongodb'
import { describe, expect, test } from 'vitest'
import { plain, useServer } from '../support.js'

const server = useServer()
const oid = (n: number) => new ObjectId(n.toString(16).padStart(24, '0'))
const dec = (text: string) => Decimal128.fromString(text)

/** Documents, a query, and the indexes of the documents that it must find. */
type Case = [name: string, docs: Document[], query: Document, found: number[]]

const referring = [
  { r: { $ref: 'c', $id: 1 } },
  { r: { $ref: 'c', $id: 2, $db: 'd' } },
  {
    r: [
      { $ref: 'c', $id: 1 },
      { $ref: 'e', $id: 2 },
    ],
  },
  { r: 1 },
]
const references: Case[] = [
  ['a reference', referring, { r: { $ref: 'c', $id: 1 } }, [0, 2]],
  ['a reference in $in', referring, { r: { $in: [{ $ref: 'c', $id: 1 }, 1] } }, [0, 2, 3]],
  ['the id of a reference', referring, { 'r.$id': 2 }, [1, 2]],
  ['the parts of a reference in $elemMatch', referring, { r: { $elemMatch: { $ref: 'e', $id: 2 } } }, [2]],
  ['one part in $elemMatch', referring, { r: { $elemMatch: { $id: { $gt: 1 } } } }, []],
  ['one part and its value in $elemMatch', referring, { r: { $elemMatch: { $id: 2 } } }, [2]],
  [
    'the parts of different elements in $elemMatch',
    referring,
    { r: { $elemMatch: { $ref: 'c', $id: 2 } } },
    [],
  ],
  ['$expr on the id of a reference', referring, { $expr: { $eq: ['$r.$id', 2] } }, [1]],
]

const numbers = [
  { v: 1 },
  { v: new Double(1) },
  { v: Long.fromNumber(1) },
  { v: dec('1') },
  { v: '1' },
  { v: true },
  { v: new Double(1.5) },
]
const maybe = [
  { v: null },
  {},
  { v: 0 },
  { v: [] },
  { v: [null] },
  { v: [1, null] },
  { v: { w: 1 } },
  { v: [{ w: 1 }, {}] },
]
const arrays = [{ v: [1, 2, 3] }, { v: [2] }, { v: 2 }, { v: [[1, 2], 3] }, { v: [] }, { v: [5, 10] }]
const nested = [
  { a: { b: 1 } },
  { a: [{ b: 1 }, { b: 2 }] },
  { a: [{ b: [1, 7] }] },
  { a: 1 },
  { a: [1, 2] },
  { a: [[{ b: 1 }]] },
  { a: { b: null } },
  { a: [] },
  {},
]
const results = [
  {
    results: [
      { product: 'abc', score: 10 },
      { product: 'xyz', score: 5 },
    ],
  },
  {
    results: [
      { product: 'abc', score: 8 },
      { product: 'xyz', score: 7 },
    ],
  },
  {
    results: [
      { product: 'abc', score: 7 },
      { product: 'xyz', score: 8 },
    ],
  },
]
const texts = [
  { v: 'Alpha' },
  { v: 'alphabet' },
  { v: 'beta\nalpha' },
  { v: ['gamma', 'ALPHA'] },
  { v: 5 },
  { v: 'a.c' },
  { v: 'abc' },
]
const mixed = [
  { v: new MinKey() },
  { v: null },
  { v: -5 },
  { v: 'x' },
  { v: { a: 1 } },
  { v: [[9]] },
  { v: new Binary(Buffer.from('z')) },
  { v: oid(7) },
  { v: false },
  { v: new Date(5) },
  { v: new Timestamp({ t: 5, i: 1 }) },
  { v: /q/ },
  { v: new MaxKey() },
]

const cases: Case[] = [
  // Numbers of all types compare by value, and never equal other types.
  ['an int finds every numeric type of its value', numbers, { v: 1 }, [0, 1, 2, 3]],
  ['a decimal finds every numeric type of its value', numbers, { v: dec('1.0') }, [0, 1, 2, 3]],
  ['a long finds every numeric type of its value', numbers, { v: Long.fromNumber(1) }, [0, 1, 2, 3]],
  ['a string does not equal a number', numbers, { v: '1' }, [4]],
  ['true does not equal 1', numbers, { v: true }, [5]],
  ['$gt stays within numbers', numbers, { v: { $gt: 1 } }, [6]],
  ['$gte stays within numbers', numbers, { v: { $gte: 1 } }, [0, 1, 2, 3, 6]],
  ['$lt stays within numbers', numbers, { v: { $lt: 2 } }, [0, 1, 2, 3, 6]],
  ['$lt of a string finds strings alone', numbers, { v: { $lt: '5' } }, [4]],
  [
    'longs beyond 2^53 are told apart',
    [{ v: Long.fromString('9007199254740993') }, { v: Long.fromString('9007199254740992') }],
    { v: Long.fromString('9007199254740993') },
    [0],
  ],
  [
    'a double and a long beyond 2^53 compare exactly',
    [{ v: Long.fromString('9007199254740993') }],
    { v: { $gt: new Double(9007199254740992) } },
    [0],
  ],
  ['decimal 0.1 is not double 0.1', [{ v: dec('0.1') }, { v: new Double(0.1) }], { v: dec('0.1') }, [0]],
  ['decimal 0.5 is double 0.5', [{ v: dec('0.5') }, { v: new Double(0.5) }], { v: new Double(0.5) }, [0, 1]],
  [
    'NaN equals NaN',
    [{ v: new Double(Number.NaN) }, { v: 1 }, { v: dec('NaN') }],
    { v: new Double(Number.NaN) },
    [0, 2],
  ],
  [
    'nothing is less than NaN',
    [{ v: new Double(Number.NaN) }, { v: -1 }],
    { v: { $lt: new Double(Number.NaN) } },
    [],
  ],
  ['NaN is less than no number', [{ v: new Double(Number.NaN) }, { v: -1 }], { v: { $lt: 5 } }, [1]],
  ['zero equals minus zero', [{ v: new Double(-0) }, { v: 0 }], { v: 0 }, [0, 1]],
  [
    'infinity is above all numbers',
    [{ v: new Double(Number.POSITIVE_INFINITY) }, { v: 1 }],
    { v: { $gt: 1e308 } },
    [0],
  ],
  // null, missing, arrays of null.
  ['null finds null, missing and arrays that hold it', maybe, { v: null }, [0, 1, 4, 5]],
  ['$eq null is null', maybe, { v: { $eq: null } }, [0, 1, 4, 5]],
  ['$ne null leaves the rest', maybe, { v: { $ne: null } }, [2, 3, 6, 7]],
  ['$exists true counts null', maybe, { v: { $exists: true } }, [0, 2, 3, 4, 5, 6, 7]],
  ['$exists false is missing alone', maybe, { v: { $exists: false } }, [1]],
  ['$exists takes any truth', maybe, { v: { $exists: 0 } }, [1]],
  ['$type null is null, not missing', maybe, { v: { $type: 'null' } }, [0, 4, 5]],
  ['$in with null finds missing', maybe, { v: { $in: [null, 0] } }, [0, 1, 2, 4, 5]],
  ['$nin with null', maybe, { v: { $nin: [null] } }, [2, 3, 6, 7]],
  ['$gte null finds null and missing', maybe, { v: { $gte: null } }, [0, 1, 4, 5]],
  ['$lt null finds nothing', maybe, { v: { $lt: null } }, []],
  ['null at a path inside', maybe, { 'v.w': null }, [0, 1, 2, 7]],
  ['$not $gt finds missing too', maybe, { v: { $not: { $gt: 0 } } }, [0, 1, 2, 3, 4, 6, 7]],
  // Arrays.
  ['a value finds arrays that hold it', arrays, { v: 2 }, [0, 1, 2]],
  ['an array finds the same array', arrays, { v: [2] }, [1]],
  ['an array finds itself inside an array', arrays, { v: [1, 2] }, [3]],
  ['order counts in array equality', arrays, { v: [3, 2, 1] }, []],
  ['the empty array finds itself', arrays, { v: [] }, [4]],
  ['$gt on an array needs one element', arrays, { v: { $gt: 4 } }, [5]],
  ['two bounds may be met by two elements', arrays, { v: { $gt: 6, $lt: 7 } }, [5]],
  ['$elemMatch needs one element for both', arrays, { v: { $elemMatch: { $gt: 6, $lt: 7 } } }, []],
  ['$elemMatch on values', arrays, { v: { $elemMatch: { $gte: 2, $lt: 3 } } }, [0, 1]],
  ['$elemMatch takes no plain value', [{ v: 5 }, { v: [5] }], { v: { $elemMatch: { $eq: 5 } } }, [1]],
  [
    '$elemMatch tests an array element as a whole',
    [{ v: [[1, 2]] }, { v: [1, 2] }],
    { v: { $elemMatch: { $size: 2 } } },
    [0],
  ],
  ['$size', arrays, { v: { $size: 1 } }, [1]],
  ['$size 0', arrays, { v: { $size: 0 } }, [4]],
  ['$all', arrays, { v: { $all: [1, 3] } }, [0]],
  ['$all with one value finds the value itself', arrays, { v: { $all: [2] } }, [0, 1, 2]],
  ['$all with nothing finds nothing', arrays, { v: { $all: [] } }, []],
  ['$all with an array inside', arrays, { v: { $all: [[1, 2]] } }, [3]],
  ['$in looks into arrays', arrays, { v: { $in: [10, 99] } }, [5]],
  ['$nin is the opposite, missing included', [...arrays, {}], { v: { $nin: [2] } }, [3, 4, 5, 6]],
  ['$ne needs all elements to differ', arrays, { v: { $ne: 2 } }, [3, 4, 5]],
  ['a position in a path', arrays, { 'v.1': 2 }, [0]],
  ['a position reaches an inner array as a whole', arrays, { 'v.0': [1, 2] }, [3]],
  ['a position does not look into the inner array', [{ v: [[1, 2]] }], { 'v.0': 1 }, []],
  ['two positions', arrays, { 'v.0.1': 2 }, [3]],
  [
    'a number names a field of a document too',
    [{ v: { '0': 5 } }, { v: [5] }, { v: [{ '0': 5 }] }],
    { 'v.0': 5 },
    [0, 1, 2],
  ],
  ['$gt of an array compares arrays', [{ v: [1, 2] }, { v: [1, 3] }, { v: 9 }], { v: { $gt: [1, 2] } }, [1]],
  // Paths through documents and arrays.
  ['a path through documents and arrays', nested, { 'a.b': 1 }, [0, 1, 2]],
  ['a path into arrays of arrays by values', nested, { 'a.b': 7 }, [2]],
  ['a path is not sought in nested arrays', nested, { 'a.b': { $exists: true } }, [0, 1, 2, 6]],
  ['null at the end of a path', nested, { 'a.b': null }, [3, 6, 8]],
  ['$exists false at the end of a path', nested, { 'a.b': { $exists: false } }, [3, 4, 5, 7, 8]],
  [
    'a document equals with its keys in order',
    [{ v: { a: 1, b: 2 } }, { v: { b: 2, a: 1 } }],
    { v: { a: 1, b: 2 } },
    [0],
  ],
  ['a document equals as a whole', [{ v: { a: 1, b: 2 } }, { v: { a: 1 } }], { v: { a: 1 } }, [1]],
  ['documents equal across numeric types', [{ v: { a: new Double(1) } }], { v: { a: 1 } }, [0]],
  ['the empty document', [{ v: {} }, { v: 1 }, {}], { v: {} }, [0]],
  [
    'documents order by their fields',
    [{ v: { a: 1 } }, { v: { a: 2 } }, { v: { b: 0 } }, { v: { a: 'x' } }],
    { v: { $gt: { a: 1 } } },
    [1, 2, 3],
  ],
  [
    '$elemMatch on documents',
    results,
    { results: { $elemMatch: { product: 'xyz', score: { $gte: 8 } } } },
    [2],
  ],
  [
    'conditions on paths may be met by different elements',
    results,
    { 'results.product': 'xyz', 'results.score': { $gte: 8 } },
    [0, 1, 2],
  ],
  [
    '$elemMatch with one condition',
    results,
    { results: { $elemMatch: { product: { $ne: 'xyz' } } } },
    [0, 1, 2],
  ],
  ['$elemMatch with $or', results, { results: { $elemMatch: { $or: [{ score: 10 }, { score: 5 }] } } }, [0]],
  [
    '$all with $elemMatch',
    results,
    {
      results: {
        $all: [{ $elemMatch: { product: 'abc', score: 8 } }, { $elemMatch: { product: 'xyz', score: 7 } }],
      },
    },
    [1],
  ],
  ['$not $elemMatch', results, { results: { $not: { $elemMatch: { score: { $gt: 9 } } } } }, [1, 2]],
  // Logic.
  ['$and', [{ a: 1, b: 1 }, { a: 1 }], { $and: [{ a: 1 }, { b: 1 }] }, [0]],
  ['$or', [{ a: 1 }, { b: 1 }, { c: 1 }], { $or: [{ a: 1 }, { b: 1 }] }, [0, 1]],
  ['$nor', [{ a: 1 }, { b: 1 }, { c: 1 }], { $nor: [{ a: 1 }, { b: 1 }] }, [2]],
  [
    '$or beside a field',
    [
      { a: 1, c: 1 },
      { b: 1, c: 2 },
    ],
    { c: 2, $or: [{ a: 1 }, { b: 1 }] },
    [1],
  ],
  ['$not with a regular expression', texts, { v: { $not: /alpha/i } }, [4, 5, 6]],
  ['$comment changes nothing', [{ a: 1 }], { a: 1, $comment: 'why' }, [0]],
  // Regular expressions.
  ['a regular expression', texts, { v: /^alpha/ }, [1]],
  ['ignoring case', texts, { v: { $regex: 'alpha', $options: 'i' } }, [0, 1, 2, 3]],
  ['m makes ^ match after a line break', texts, { v: { $regex: '^alpha', $options: 'm' } }, [1, 2]],
  ['$ matches before a last line break', [{ v: 'end\n' }, { v: 'end\n\n' }], { v: { $regex: 'end$' } }, [0]],
  ['. does not match a line break', texts, { v: { $regex: 'beta.alpha' } }, []],
  ['s makes . match it', texts, { v: { $regex: 'beta.alpha', $options: 's' } }, [2]],
  ['x leaves out spaces and comments', texts, { v: { $regex: 'a b c # all', $options: 'x' } }, [6]],
  ['a quoted dot', texts, { v: { $regex: 'a\\.c' } }, [5]],
  ['punctuation quoted without need', [{ v: 'a-b_c' }, { v: 'x' }], { v: { $regex: 'a\\-b\\_c' } }, [0]],
  ['a brace that counts nothing', [{ v: 'a{b}' }], { v: { $regex: 'a{b}' } }, [0]],
  ['POSIX classes', [{ v: 'ab1' }, { v: '---' }], { v: { $regex: '^[[:alnum:]]+$' } }, [0]],
  ['$in with regular expressions', texts, { v: { $in: [/^beta/, 5] } }, [2, 4]],
  [
    'a stored regular expression equals itself',
    [{ v: /ab/i }, { v: 'ab' }, { v: /ab/ }],
    { v: { $eq: new BSONRegExp('ab', 'i') } },
    [0],
  ],
  ['a hyphen beside a set', [{ v: 'a-b.c' }, { v: 'a b' }], { v: { $regex: '^[\\w-.]+$' } }, [0]],
  ['\\v is every line break', [{ v: 'a\u2028b' }, { v: 'a b' }], { v: { $regex: 'a\\vb' } }, [0]],
  ['\\s is ASCII', [{ v: 'a\u00a0b' }, { v: 'a b' }], { v: { $regex: 'a\\sb' } }, [1]],
  ['\\A and \\z', [{ v: 'abc' }, { v: 'abc\n' }], { v: { $regex: '\\Aabc\\z' } }, [0]],
  [
    'a star after a letter beyond the basic plane',
    [{ v: '\u{1F600}x' }, { v: 'x' }],
    { v: { $regex: '^\u{1F600}*x' } },
    [0, 1],
  ],
  ['the inline flag (?i)', texts, { v: { $regex: '(?i)^ALPHA$' } }, [0, 3]],
  [
    'a text is searched for literally once quoted',
    [{ v: '1+1=2?' }, { v: '11=2' }],
    { v: { $regex: '1\\+1=2\\?', $options: 'i' } },
    [0],
  ],
  // Types.
  ['$type by name', mixed, { v: { $type: 'objectId' } }, [7]],
  ['$type by number', mixed, { v: { $type: 9 } }, [9]],
  ['$type number', numbers, { v: { $type: 'number' } }, [0, 1, 2, 3, 6]],
  ['$type of several', mixed, { v: { $type: ['bool', 'string'] } }, [3, 8]],
  ['$type array is the array itself', arrays, { v: { $type: 'array' } }, [0, 1, 3, 4, 5]],
  ['$type looks into arrays', arrays, { v: { $type: 'int' } }, [0, 1, 2, 3, 5]],
  ['$type int is not double', numbers, { v: { $type: 'double' } }, [1, 6]],
  [
    '$gt MinKey finds all other types',
    mixed,
    { v: { $gt: new MinKey() } },
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  ],
  [
    '$lt MaxKey finds all other types',
    mixed,
    { v: { $lt: new MaxKey() } },
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  ],
  ['dates compare with dates', mixed, { v: { $lte: new Date(10) } }, [9]],
  ['booleans compare with booleans', mixed, { v: { $lt: true } }, [8]],
  ['object ids compare', [{ v: oid(1) }, { v: oid(2) }], { v: { $gt: oid(1) } }, [1]],
  [
    'binary compares by length, subtype, bytes',
    [{ v: new Binary(Buffer.from('b')) }, { v: new Binary(Buffer.from('aa')) }],
    { v: { $gt: new Binary(Buffer.from('c')) } },
    [1],
  ],
  ['strings compare by code points', [{ v: '\u{1F600}' }, { v: '\uFFEE' }], { v: { $gt: '\uFFEE' } }, [0]],
  // $mod, bits, $expr.
  ['$mod', [{ v: 4 }, { v: 5 }, { v: new Double(8.7) }, { v: 'x' }], { v: { $mod: [4, 0] } }, [0, 2]],
  ['$mod of negative numbers', [{ v: -5 }], { v: { $mod: [4, -1] } }, [0]],
  [
    '$bitsAllSet',
    [{ v: 54 }, { v: 20 }, { v: new Binary(Buffer.from('f', 'latin1')) }],
    { v: { $bitsAllSet: [1, 5] } },
    [0, 2],
  ],
  ['$bitsAnyClear', [{ v: 54 }, { v: 20 }], { v: { $bitsAnyClear: 34 } }, [1]],
  ['$bitsAllClear', [{ v: 54 }, { v: 20 }], { v: { $bitsAllClear: 34 } }, [1]],
  ['$bitsAnySet', [{ v: 54 }, { v: 20 }, { v: 1 }], { v: { $bitsAnySet: [1, 2] } }, [0, 1]],
  [
    '$expr compares fields',
    [
      { spent: 450, budget: 400 },
      { spent: 100, budget: 100 },
    ],
    { $expr: { $gt: ['$spent', '$budget'] } },
    [0],
  ],
  ['$expr sorts missing below null', [{ a: null }, {}], { $expr: { $lt: ['$a', null] } }, [1]],
  [
    '$expr with arithmetic',
    [
      { a: 2, b: 3 },
      { a: 1, b: 1 },
    ],
    { $expr: { $eq: [{ $add: ['$a', '$b'] }, 5] } },
    [0],
  ],
  ...references,
  ['$expr reads arrays as a whole', [{ a: [1, 2] }, { a: 1 }], { $expr: { $eq: ['$a', [1, 2]] } }, [0]],
]

describe('queries', () => {
  test.each(cases)('%s', async (_, docs, query, found) => {
    const name = await server.holding(docs.map((doc, i) => ({ _id: new Int32(i), ...doc })))
    const rows = await server.find(name, { filter: query, sort: { _id: 1 } })
    expect(rows.map(row => plain(row._id))).toEqual(found)
    const counted = await server.run({ count: name, query })
    expect(plain(counted.n)).toBe(found.length)
  })
})

describe('sorting', () => {
  const sorted: [name: string, docs: Document[], sort: Document, order: number[]][] = [
    [
      'types in their order',
      [...mixed].reverse(),
      { v: 1 },
      [...mixed.keys()].map(i => mixed.length - 1 - i),
    ],
    ['types in their order, downwards', mixed, { v: -1 }, [...mixed.keys()].reverse()],
    ['missing sorts as null', [{ v: 1 }, {}, { v: null }, { v: 0 }], { v: 1, _id: 1 }, [1, 2, 3, 0]],
    [
      'numbers of all types',
      [{ v: new Double(2.5) }, { v: dec('2.4') }, { v: Long.fromNumber(2) }, { v: 3 }],
      { v: 1 },
      [2, 1, 0, 3],
    ],
    ['NaN comes before numbers', [{ v: -1e300 }, { v: new Double(Number.NaN) }], { v: 1 }, [1, 0]],
    ['an array sorts by its least element', [{ v: [5, 9] }, { v: [3, 10] }, { v: 4 }], { v: 1 }, [1, 2, 0]],
    [
      'an array sorts by its greatest element downwards',
      [{ v: [5, 9] }, { v: [3, 10] }, { v: 4 }],
      { v: -1 },
      [1, 0, 2],
    ],
    ['the empty array sorts below null', [{ v: null }, { v: [] }], { v: 1 }, [1, 0]],
    [
      'by two fields',
      [
        { a: 1, b: 1 },
        { a: 1, b: 2 },
        { a: 0, b: 0 },
      ],
      { a: 1, b: -1 },
      [2, 1, 0],
    ],
    ['by a path through arrays', [{ a: [{ b: 5 }, { b: 1 }] }, { a: { b: 2 } }], { 'a.b': 1 }, [0, 1]],
    ['strings by code points', [{ v: 'b' }, { v: 'B' }, { v: 'é' }, { v: 'a' }], { v: 1 }, [1, 3, 0, 2]],
    ['a shorter string first', [{ v: 'ab' }, { v: 'a' }], { v: 1 }, [1, 0]],
    ['false before true', [{ v: true }, { v: false }], { v: 1 }, [1, 0]],
    ['$natural backwards', [{}, {}, {}], { $natural: -1 }, [2, 1, 0]],
  ]
  test.each(sorted)('%s', async (_, docs, sort, order) => {
    const name = await server.holding(docs.map((doc, i) => ({ _id: new Int32(i), ...doc })))
    const rows = await server.find(name, { sort })
    expect(rows.map(row => plain(row._id))).toEqual(order)
    if ('$natural' in sort) return
    const rest = await server.aggregate(name, [{ $skip: 0 }, { $sort: sort }])
    expect(rest.map(row => plain(row._id))).toEqual(order)
    // The order is the same with an index.
    await server.run({ createIndexes: name, indexes: [{ key: sort, name: 'by' }] })
    const indexed = await server.find(name, { sort })
    expect(indexed.map(row => plain(row._id))).toEqual(order)
  })

  test('skip, limit and batches', async () => {
    const name = await server.holding(Array.from({ length: 30 }, (_, i) => ({ _id: i })))
    const ids = (rows: Document[]) => rows.map(row => plain(row._id))
    expect(ids(await server.find(name, { sort: { _id: -1 }, skip: 5, limit: 3 }))).toEqual([24, 23, 22])
    expect(ids(await server.find(name, { skip: 28 }))).toEqual([28, 29])
    expect(ids(await server.find(name, { skip: 40 }))).toEqual([])
    const first = await server.run({ find: name, batchSize: 7 })
    expect(ids(first.cursor.firstBatch)).toEqual([0, 1, 2, 3, 4, 5, 6])
    const more = await server.run({ getMore: first.cursor.id, collection: name, batchSize: 5 })
    expect(ids(more.cursor.nextBatch)).toEqual([7, 8, 9, 10, 11])
    expect((await server.run({ killCursors: name, cursors: [first.cursor.id] })).cursorsKilled.length).toBe(1)
    expect((await server.failure({ getMore: first.cursor.id, collection: name })).code).toBe(43)
    expect(plain((await server.run({ find: name, batchSize: 2, singleBatch: true })).cursor.id)).toBe(0)
    expect((await server.run({ find: name, batchSize: 0 })).cursor.firstBatch).toEqual([])
  })
})

describe('distinct', () => {
  const distinct: [name: string, docs: Document[], key: string, values: unknown[]][] = [
    ['elements of arrays', [{ v: [1, 2] }, { v: 2 }, { v: [3] }], 'v', [1, 2, 3]],
    [
      'values of all numeric types once',
      [{ v: 1 }, { v: new Double(1) }, { v: Long.fromNumber(1) }],
      'v',
      [1],
    ],
    ['a path through arrays', [{ a: [{ b: 1 }, { b: 2 }] }, { a: { b: 2 } }], 'a.b', [1, 2]],
    ['an array inside an array of documents', [{ a: [{ b: [1, 2] }, { b: 3 }] }], 'a.b', [1, 2, 3]],
    ['null but not missing', [{ v: null }, {}, { v: 1 }], 'v', [null, 1]],
  ]
  test.each(distinct)('%s', async (_, docs, key, values) => {
    const name = await server.holding(docs)
    const reply = await server.run({ distinct: name, key })
    expect(reply.values.map((value: unknown) => (value === null ? null : plain(value)))).toEqual(values)
  })
})
