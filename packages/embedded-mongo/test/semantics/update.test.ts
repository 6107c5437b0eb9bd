import { Decimal128, type Document, Double, Int32, Long, ObjectId, Timestamp } from 'mongodb'
import { describe, expect, test } from 'vitest'
import { branch, exact, plain, useServer } from '../support.js'

const server = useServer()
const dec = (text: string) => Decimal128.fromString(text)
const long = (text: string) => Long.fromString(text)

/** A document, an update, and the resulting document or error code. `_id` is always 1. */
type Case = [name: string, before: Document, update: Document, after: Document | number, options?: Document]

const maxInt = 2147483647

const cases: Case[] = [
  // $set and $unset.
  ['$set replaces a value', { a: 1 }, { $set: { a: 'x' } }, { a: 'x' }],
  ['$set adds fields in the order of their names', {}, { $set: { z: 1, a: 2, m: 3 } }, { a: 2, m: 3, z: 1 }],
  [
    'fields of several modifiers are added in the order of their names',
    {},
    { $set: { z: 1 }, $inc: { b: 1 } },
    { b: 1, z: 1 },
  ],
  [
    'numeric names are added in the order of numbers',
    { a: {} },
    { $set: { 'a.10': 1, 'a.9': 1 } },
    { a: { '9': 1, '10': 1 } },
  ],
  ['$set keeps a field where it is', { a: 1, b: 2 }, { $set: { a: 3 } }, { a: 3, b: 2 }],
  ['$set creates documents on the path', {}, { $set: { 'a.b.c': 1 } }, { a: { b: { c: 1 } } }],
  ['$set replaces an array element', { a: [1, 2] }, { $set: { 'a.1': 9 } }, { a: [1, 9] }],
  ['$set beyond an array fills with null', { a: [1] }, { $set: { 'a.3': 9 } }, { a: [1, null, null, 9] }],
  ['$set through an element', { a: [{ b: 1 }] }, { $set: { 'a.0.b': 2 } }, { a: [{ b: 2 }] }],
  ['$set creates a document for a numeric name', {}, { $set: { 'a.0': 1 } }, { a: { '0': 1 } }],
  ['$set through a scalar is refused', { a: 1 }, { $set: { 'a.b': 1 } }, 28],
  ['$set through null is refused', { a: null }, { $set: { 'a.b': 1 } }, 28],
  ['$set of a name in an array is refused', { a: [1] }, { $set: { 'a.b': 1 } }, 28],
  ['$set of the same _id is allowed', {}, { $set: { _id: 1, a: 1 } }, { a: 1 }],
  ['$set of another _id is refused', {}, { $set: { _id: 2 } }, 66],
  ['$unset of _id is refused', {}, { $unset: { _id: 1 } }, 66],
  ['$set of nothing', { a: 1 }, { $set: {} }, { a: 1 }],
  ['$set of a name with a dollar', {}, { $set: { $a: 1 } }, 52],
  ['$set of an empty name', {}, { $set: { '': 1 } }, 56],
  ['$set of a path with an empty part', {}, { $set: { 'a..b': 1 } }, 56],
  ['$unset removes a field', { a: 1, b: 2 }, { $unset: { a: '' } }, { b: 2 }],
  ['$unset of a path', { a: { b: 1, c: 2 } }, { $unset: { 'a.b': '' } }, { a: { c: 2 } }],
  ['$unset leaves the emptied document', { a: { b: 1 } }, { $unset: { 'a.b': '' } }, { a: {} }],
  ['$unset of an element leaves null', { a: [1, 2, 3] }, { $unset: { 'a.1': '' } }, { a: [1, null, 3] }],
  ['$unset of what is not there', { a: 1 }, { $unset: { 'b.c': '' } }, { a: 1 }],
  ['$unset through a scalar does nothing', { a: 1 }, { $unset: { 'a.b': '' } }, { a: 1 }],
  // Arithmetic and its types.
  ['$inc adds', { a: 1 }, { $inc: { a: 2 } }, { a: 3 }],
  ['$inc by a negative number', { a: 1 }, { $inc: { a: -3 } }, { a: -2 }],
  ['$inc sets what is missing', {}, { $inc: { 'a.b': 2 } }, { a: { b: 2 } }],
  ['int and double make double', { a: 1 }, { $inc: { a: new Double(2) } }, { a: new Double(3) }],
  ['a double stays a double', { a: new Double(5) }, { $inc: { a: 1 } }, { a: new Double(6) }],
  ['int and long make long', { a: 1 }, { $inc: { a: long('2') } }, { a: long('3') }],
  ['int overflows into long', { a: maxInt }, { $inc: { a: 1 } }, { a: long('2147483648') }],
  ['long overflow is refused', { a: long('9223372036854775807') }, { $inc: { a: 1 } }, 2],
  ['int and decimal make decimal', { a: 1 }, { $inc: { a: dec('0.10') } }, { a: dec('1.10') }],
  ['decimals add exactly', { a: dec('0.1') }, { $inc: { a: dec('0.2') } }, { a: dec('0.3') }],
  [
    'decimal keeps 34 digits',
    { a: dec('1') },
    { $inc: { a: dec('1E-33') } },
    { a: dec('1.000000000000000000000000000000001') },
  ],
  ['$inc of a string is refused', { a: 'x' }, { $inc: { a: 1 } }, 14],
  ['$inc of null is refused', { a: null }, { $inc: { a: 1 } }, 14],
  ['$inc by a string is refused', { a: 1 }, { $inc: { a: '1' } }, 14],
  ['$mul multiplies', { a: 3 }, { $mul: { a: 2 } }, { a: 6 }],
  ['$mul of what is missing is zero of the type', {}, { $mul: { a: long('5') } }, { a: long('0') }],
  ['$mul of what is missing by a double', {}, { $mul: { a: new Double(2) } }, { a: new Double(0) }],
  ['$mul int by double', { a: 2 }, { $mul: { a: new Double(1.5) } }, { a: new Double(3) }],
  ['$mul overflows into long', { a: maxInt }, { $mul: { a: 2 } }, { a: long('4294967294') }],
  ['$mul of decimals', { a: dec('1.5') }, { $mul: { a: 2 } }, { a: dec('3.0') }],
  ['$mul of a string is refused', { a: 'x' }, { $mul: { a: 2 } }, 14],
  ['$min takes the smaller', { a: 5 }, { $min: { a: 3 } }, { a: 3 }],
  ['$min leaves the smaller', { a: 5 }, { $min: { a: 7 } }, { a: 5 }],
  ['$max compares types by their order', { a: 5 }, { $max: { a: 'x' } }, { a: 'x' }],
  ['$max sets what is missing', {}, { $max: { a: 1 } }, { a: 1 }],
  ['$max leaves an equal value its type', { a: new Double(5) }, { $max: { a: 5 } }, { a: new Double(5) }],
  ['$min with null goes below numbers', { a: 5 }, { $min: { a: null } }, { a: null }],
  ['$bit and', { a: 13 }, { $bit: { a: { and: 10 } } }, { a: 8 }],
  ['$bit or', { a: 3 }, { $bit: { a: { or: 5 } } }, { a: 7 }],
  ['$bit xor', { a: 1 }, { $bit: { a: { xor: 5 } } }, { a: 4 }],
  ['$bit of a double is refused', { a: new Double(1) }, { $bit: { a: { or: 1 } } }, 2],
  // Arrays.
  ['$push appends', { a: [1] }, { $push: { a: 2 } }, { a: [1, 2] }],
  ['$push creates the array', {}, { $push: { a: 1 } }, { a: [1] }],
  ['$push of an array pushes the array', { a: [1] }, { $push: { a: [2, 3] } }, { a: [1, [2, 3]] }],
  ['$push to a scalar is refused', { a: 1 }, { $push: { a: 2 } }, 2],
  ['$push to null is refused', { a: null }, { $push: { a: 2 } }, 2],
  ['$each', { a: [1] }, { $push: { a: { $each: [2, 3] } } }, { a: [1, 2, 3] }],
  ['$each of nothing', { a: [1] }, { $push: { a: { $each: [] } } }, { a: [1] }],
  ['$position', { a: [1, 2] }, { $push: { a: { $each: [9], $position: 0 } } }, { a: [9, 1, 2] }],
  [
    'a negative $position counts from the end',
    { a: [1, 2, 3] },
    { $push: { a: { $each: [9], $position: -1 } } },
    { a: [1, 2, 9, 3] },
  ],
  ['a $position beyond the end', { a: [1] }, { $push: { a: { $each: [9], $position: 5 } } }, { a: [1, 9] }],
  ['$slice keeps the first', { a: [1, 2] }, { $push: { a: { $each: [3, 4], $slice: 3 } } }, { a: [1, 2, 3] }],
  [
    'a negative $slice keeps the last',
    { a: [1, 2] },
    { $push: { a: { $each: [3, 4], $slice: -2 } } },
    { a: [3, 4] },
  ],
  ['$slice 0 empties', { a: [1] }, { $push: { a: { $each: [2], $slice: 0 } } }, { a: [] }],
  ['$sort of values', { a: [3, 1] }, { $push: { a: { $each: [2], $sort: 1 } } }, { a: [1, 2, 3] }],
  ['$sort of values downwards', { a: [3, 1] }, { $push: { a: { $each: [2], $sort: -1 } } }, { a: [3, 2, 1] }],
  [
    '$sort by a field, then $slice',
    {
      q: [
        { wk: 1, score: 10 },
        { wk: 2, score: 8 },
      ],
    },
    { $push: { q: { $each: [{ wk: 5, score: 9 }], $sort: { score: -1 }, $slice: 2 } } },
    {
      q: [
        { wk: 1, score: 10 },
        { wk: 5, score: 9 },
      ],
    },
  ],
  ['$push with an unknown clause', { a: [] }, { $push: { a: { $each: [1], $what: 1 } } }, 2],
  ['$each that is no array', { a: [] }, { $push: { a: { $each: 1 } } }, 2],
  ['$addToSet adds once', { a: [1] }, { $addToSet: { a: 2 } }, { a: [1, 2] }],
  ['$addToSet leaves what is there', { a: [1, 2] }, { $addToSet: { a: new Double(2) } }, { a: [1, 2] }],
  [
    '$addToSet compares documents with their order',
    { a: [{ x: 1, y: 2 }] },
    { $addToSet: { a: { y: 2, x: 1 } } },
    {
      a: [
        { x: 1, y: 2 },
        { y: 2, x: 1 },
      ],
    },
  ],
  ['$addToSet with $each', { a: [1] }, { $addToSet: { a: { $each: [1, 2, 2] } } }, { a: [1, 2] }],
  ['$addToSet of an array', { a: [] }, { $addToSet: { a: [1, 2] } }, { a: [[1, 2]] }],
  ['$addToSet to a scalar is refused', { a: 1 }, { $addToSet: { a: 2 } }, 2],
  ['$pop last', { a: [1, 2, 3] }, { $pop: { a: 1 } }, { a: [1, 2] }],
  ['$pop first', { a: [1, 2, 3] }, { $pop: { a: -1 } }, { a: [2, 3] }],
  ['$pop of nothing', {}, { $pop: { a: 1 } }, {}],
  ['$pop of the empty array', { a: [] }, { $pop: { a: 1 } }, { a: [] }],
  ['$pop of a scalar is refused', { a: 1 }, { $pop: { a: 1 } }, 14],
  ['$pop by another number is refused', { a: [1] }, { $pop: { a: 2 } }, 9],
  ['$pull of a value', { a: [1, 2, 1] }, { $pull: { a: 1 } }, { a: [2] }],
  ['$pull by a condition', { a: [1, 5, 9] }, { $pull: { a: { $gte: 5 } } }, { a: [1] }],
  ['$pull with $in', { a: ['x', 'y', 'z'] }, { $pull: { a: { $in: ['x', 'z'] } } }, { a: ['y'] }],
  [
    '$pull of documents by some fields',
    { a: [{ b: 1, c: 1 }, { b: 2 }] },
    { $pull: { a: { b: 1 } } },
    { a: [{ b: 2 }] },
  ],
  [
    '$pull of documents by conditions',
    { a: [{ n: 3 }, { n: 8 }] },
    { $pull: { a: { n: { $gt: 5 } } } },
    { a: [{ n: 3 }] },
  ],
  [
    '$pull with $elemMatch',
    { a: [{ b: [{ q: 1, w: 4 }] }, { b: [{ q: 3, w: 4 }] }] },
    { $pull: { a: { b: { $elemMatch: { q: 3, w: 4 } } } } },
    { a: [{ b: [{ q: 1, w: 4 }] }] },
  ],
  ['$pull by a regular expression', { a: ['apple', 'plum'] }, { $pull: { a: /^a/ } }, { a: ['plum'] }],
  ['$pull of an array element needs all of it', { a: [[1, 2], [1]] }, { $pull: { a: [1] } }, { a: [[1, 2]] }],
  ['$pull of what is not there', {}, { $pull: { a: 1 } }, {}],
  ['$pull of a scalar is refused', { a: 1 }, { $pull: { a: 1 } }, 2],
  ['$pullAll', { a: [0, 2, 5, 5, 1, 0] }, { $pullAll: { a: [0, 5] } }, { a: [2, 1] }],
  ['$pullAll of no array is refused', { a: [1] }, { $pullAll: { a: 1 } }, 2],
  // Positional.
  [
    '$ is the element the query found',
    { a: [80, 85, 90] },
    { $set: { 'a.$': 82 } },
    { a: [80, 82, 90] },
    { q: { a: 85 } },
  ],
  [
    '$ into a document',
    { g: [{ s: 80 }, { s: 85 }] },
    { $set: { 'g.$.t': 6 } },
    { g: [{ s: 80 }, { s: 85, t: 6 }] },
    { q: { 'g.s': 85 } },
  ],
  [
    '$ with $elemMatch',
    {
      g: [
        { s: 80, m: 75 },
        { s: 85, m: 90 },
      ],
    },
    { $set: { 'g.$.x': 1 } },
    {
      g: [
        { s: 80, m: 75 },
        { s: 85, m: 90, x: 1 },
      ],
    },
    { q: { g: { $elemMatch: { s: { $lte: 90 }, m: { $gt: 80 } } } } },
  ],
  ['$ with $inc', { a: [1, 5] }, { $inc: { 'a.$': 10 } }, { a: [1, 15] }, { q: { a: { $gt: 3 } } }],
  [
    '$ with $in',
    { a: ['x', 'y'] },
    { $set: { 'a.$': 'z' } },
    { a: ['x', 'z'] },
    { q: { a: { $in: ['y', 'q'] } } },
  ],
  [
    '$ after a position in the query is refused',
    { a: [5, 6] },
    { $set: { 'a.$': 2 } },
    2,
    { q: { 'a.1': 6 } },
  ],
  [
    '$ is the outermost array’s element',
    { a: [{ b: [1] }, { b: [2, 3] }] },
    { $set: { 'a.$': 0 } },
    { a: [{ b: [1] }, 0] },
    { q: { 'a.b': 3 } },
  ],
  ['$ without an array in the query is refused', { a: [1] }, { $set: { 'a.$': 2 } }, 2, { q: {} }],
  ['$[] is every element', { a: [1, 2] }, { $inc: { 'a.$[]': 10 } }, { a: [11, 12] }],
  [
    '$[] into documents',
    { g: [{ s: 1 }, { s: 2 }] },
    { $set: { 'g.$[].t': 0 } },
    {
      g: [
        { s: 1, t: 0 },
        { s: 2, t: 0 },
      ],
    },
  ],
  ['$[] within $[]', { a: [[1], [2, 3]] }, { $inc: { 'a.$[].$[]': 1 } }, { a: [[2], [3, 4]] }],
  ['$[] of a scalar is refused', { a: 1 }, { $set: { 'a.$[]': 2 } }, 2],
  ['$[] of what is missing is refused', {}, { $set: { 'a.$[]': 2 } }, 2],
  [
    '$[name] is the elements a filter meets',
    { a: [95, 102, 90] },
    { $set: { 'a.$[e]': 100 } },
    { a: [95, 100, 90] },
    { arrayFilters: [{ e: { $gte: 100 } }] },
  ],
  [
    '$[name] by a field',
    {
      g: [
        { s: 80, m: 75 },
        { s: 95, m: 90 },
      ],
    },
    { $set: { 'g.$[e].m': 100 } },
    {
      g: [
        { s: 80, m: 75 },
        { s: 95, m: 100 },
      ],
    },
    { arrayFilters: [{ 'e.s': { $gte: 85 } }] },
  ],
  [
    'two filters',
    {
      a: [
        { k: 'x', b: [1, 2] },
        { k: 'y', b: [1, 2] },
      ],
    },
    { $inc: { 'a.$[i].b.$[j]': 10 } },
    {
      a: [
        { k: 'x', b: [1, 2] },
        { k: 'y', b: [1, 12] },
      ],
    },
    { arrayFilters: [{ 'i.k': 'y' }, { j: 2 }] },
  ],
  [
    'a filter with $or',
    { a: [1, 5, 9] },
    { $set: { 'a.$[e]': 0 } },
    { a: [0, 5, 0] },
    { arrayFilters: [{ $or: [{ e: 1 }, { e: 9 }] }] },
  ],
  ['a filter that is missing', { a: [1] }, { $set: { 'a.$[e]': 0 } }, 2],
  ['a filter that is not used', { a: [1] }, { $set: { b: 0 } }, 9, { arrayFilters: [{ e: 1 }] }],
  [
    'two filters of one name',
    { a: [1] },
    { $set: { 'a.$[e]': 0 } },
    9,
    { arrayFilters: [{ e: 1 }, { e: 2 }] },
  ],
  // $rename.
  ['$rename', { a: 1, b: 2 }, { $rename: { a: 'c' } }, { b: 2, c: 1 }],
  ['$rename into a document', { a: 1, b: { c: 2 } }, { $rename: { a: 'b.d' } }, { b: { c: 2, d: 1 } }],
  ['$rename out of a document', { a: { b: 1 } }, { $rename: { 'a.b': 'c' } }, { a: {}, c: 1 }],
  ['$rename over a field', { a: 1, b: 2 }, { $rename: { a: 'b' } }, { b: 1 }],
  ['$rename over a field takes its place', { b: 2, a: 1, c: 3 }, { $rename: { a: 'b' } }, { b: 1, c: 3 }],
  ['$rename of what is not there', { b: 2 }, { $rename: { a: 'c' } }, { b: 2 }],
  ['$rename to itself is refused', { a: 1 }, { $rename: { a: 'a' } }, 2],
  ['$rename within an array is refused', { a: [{ b: 1 }] }, { $rename: { 'a.0.b': 'c' } }, 2],
  // Conflicts and malformed updates.
  ['one path twice', {}, { $set: { a: 1 }, $inc: { a: 1 } }, 40],
  ['a path and one inside it', {}, { $set: { a: {}, 'a.b': 1 } }, 40],
  ['siblings do not conflict', {}, { $set: { 'a.b': 1 }, $inc: { 'a.c': 1 } }, { a: { b: 1, c: 1 } }],
  ['an unknown modifier', {}, { $what: { a: 1 } }, 9],
  ['a modifier of no document', {}, { $set: 5 }, 9],
  ['modifiers beside fields', {}, { $set: { a: 1 }, b: 2 }, 9],
  ['fields beside modifiers', {}, { b: 2, $set: { a: 1 } }, 52],
  // Replacement.
  ['a replacement keeps _id', { a: 1 }, { b: 2 }, { b: 2 }],
  ['a replacement may name the same _id', { a: 1 }, { b: 2, _id: 1 }, { b: 2 }],
  ['a replacement with another _id is refused', { a: 1 }, { _id: 2 }, 66],
  ['a replacement by nothing', { a: 1 }, {}, {}],
  ['replacing many is refused', { a: 1 }, { b: 1 }, 9, { multi: true }],
  // Pipelines.
  [
    'a pipeline sets from other fields',
    { a: 2, b: 3 },
    [{ $set: { c: { $add: ['$a', '$b'] } } }],
    { a: 2, b: 3, c: 5 },
  ],
  ['a pipeline unsets', { a: 1, b: 2 }, [{ $unset: 'a' }], { b: 2 }],
  ['a pipeline replaces', { a: { x: 1 } }, [{ $replaceWith: '$a' }], { x: 1 }],
  [
    'a pipeline with $switch',
    { n: 85 },
    [
      {
        $set: {
          grade: {
            $switch: {
              branches: [branch({ $gte: ['$n', 90] }, 'A'), branch({ $gte: ['$n', 80] }, 'B')],
              default: 'F',
            },
          },
        },
      },
    ],
    { n: 85, grade: 'B' },
  ],
  // Names with a dollar: allowed below the top level.
  ['$set of a name with a dollar', { a: {} }, { $set: { 'a.$b': 1 } }, { a: { $b: 1 } }],
  ['$set creates the path to one', {}, { $set: { 'a.$b.c': 1 } }, { a: { $b: { c: 1 } } }],
  ['$inc of one', { a: { $b: 1 } }, { $inc: { 'a.$b': 1 } }, { a: { $b: 2 } }],
  ['$unset of one', { a: { $b: 1, c: 2 } }, { $unset: { 'a.$b': 1 } }, { a: { c: 2 } }],
  ['$rename to one', { a: { b: 1 } }, { $rename: { 'a.b': 'a.$b' } }, { a: { $b: 1 } }],
  ['$push to one', { a: {} }, { $push: { 'a.$b': 1 } }, { a: { $b: [1] } }],
  ['a name that begins as a filter does', { a: {} }, { $set: { 'a.$[x': 1 } }, { a: { '$[x': 1 } }],
  ['$set of a document with one', {}, { $set: { a: { $b: 1 } } }, { a: { $b: 1 } }],
  ['a field inside one at the top level', { $a: { b: 1 } }, { $set: { '$a.b': 2 } }, { $a: { b: 2 } }],
  ['other fields beside one', { $a: 1, b: 1 }, { $set: { b: 2 } }, { $a: 1, b: 2 }],
  ['$set of one at the top level', {}, { $set: { $a: 1 } }, 52],
  ['$set that creates one at the top level', {}, { $set: { '$a.b': 1 } }, 52],
  ['$inc of one at the top level', { $a: 1 }, { $inc: { $a: 1 } }, 52],
  ['a replacement with one at the top level', {}, { a: 1, $b: 1 }, 52],
  ['a replacement with one further inside', {}, { a: { $b: [{ $c: 1 }] } }, { a: { $b: [{ $c: 1 }] } }],
  ['a reference without its collection', {}, { a: 1, $id: 2 }, 55],
  ['a reference to no text', {}, { a: 1, $ref: 1, $id: 2 }, 55],
  [
    'a pipeline may set one at the top level',
    {},
    [{ $replaceWith: { $setField: { field: { $literal: '$a' }, input: '$$ROOT', value: 1 } } }],
    { $a: 1 },
  ],
  ['a position without an array', {}, { $set: { '$.a': 1 } }, 2],
  [
    '$pull of references',
    {
      l: [
        { $ref: 'c', $id: 1 },
        { $ref: 'c', $id: 2 },
      ],
    },
    { $pull: { l: { $ref: 'c', $id: 2 } } },
    { l: [{ $ref: 'c', $id: 1 }] },
  ],
  ['a pipeline cannot change _id', {}, [{ $set: { _id: 2 } }], 66],
  ['a stage that updates do not have', {}, [{ $group: { _id: 1 } }], 72],
]

describe('updates', () => {
  test.each(cases)('%s', async (_, before, update, after, options = {}) => {
    const name = await server.holding([{ _id: new Int32(1), ...before }])
    const { q = { _id: 1 }, ...rest } = options
    const command = { update: name, updates: [{ q, u: update, ...rest }] }
    const [found] = await server.find(name)
    if (typeof after === 'number') {
      expect((await server.failure(command)).code).toBe(after)
      expect(exact((await server.find(name))[0])).toBe(exact(found))
      return
    }
    const reply = await server.run(command)
    expect(plain(reply.n)).toBe(1)
    const [now] = await server.find(name)
    expect(exact(now)).toBe(exact({ _id: new Int32(1), ...after }))
    expect(plain(reply.nModified)).toBe(exact(now) === exact(found) ? 0 : 1)
  })

  test('$currentDate sets dates and timestamps', async () => {
    const name = await server.holding([{ _id: 1 }])
    const from = Date.now()
    await server.run({
      update: name,
      updates: [
        { q: {}, u: { $currentDate: { d: true, 't.x': { $type: 'timestamp' }, e: { $type: 'date' } } } },
      ],
    })
    const [doc] = await server.find(name)
    expect(doc?.d.getTime()).toBeGreaterThanOrEqual(from)
    expect(doc?.e).toBeInstanceOf(Date)
    expect(doc?.t.x).toBeInstanceOf(Timestamp)
    expect(
      (
        await server.failure({
          update: name,
          updates: [{ q: {}, u: { $currentDate: { d: { $type: 'x' } } } }],
        })
      ).code,
    ).toBe(2)
  })

  test('a replacement may be a DBRef', async () => {
    const name = await server.holding([{ _id: 1 }])
    await server.run({ update: name, updates: [{ q: { _id: 1 }, u: { a: 1, $ref: 'c', $id: 2 } }] })
    expect(await server.find(name, { filter: { $ref: 'c', $id: 2 } })).toHaveLength(1)
    expect(await server.find(name, { filter: { $ref: 'c', $id: 3 } })).toHaveLength(0)
  })

  test('an empty timestamp becomes the current one in a replacement and an insert, not in a modifier', async () => {
    const empty = new Timestamp({ t: 0, i: 0 })
    const doc = { t: empty, u: empty, inner: { t: empty } }
    const name = await server.holding([{ _id: 1 }, { _id: 4 }])
    const updates = [
      { q: { _id: 1 }, u: doc },
      { q: { _id: 2 }, u: doc, upsert: true },
      { q: { _id: 3 }, u: { $set: doc }, upsert: true },
    ]
    await server.run({ update: name, updates })
    await server.run({ findAndModify: name, query: { _id: 4 }, update: doc })
    await server.run({ insert: name, documents: [doc] })
    const rows = await server.find(name, { sort: { _id: 1 } })
    const kept = rows.filter(row => plain(row._id) === 3)
    const filled = rows.filter(row => plain(row._id) !== 3)
    expect(kept.map(row => [row.t.isZero(), row.u.isZero()])).toEqual([[true, true]])
    expect(filled).toHaveLength(4)
    for (const row of filled) expect(row.t.getHighBits()).toBeGreaterThan(1_700_000_000)
    for (const row of rows) expect(row.inner.t.isZero()).toBe(true)
    const times = filled.flatMap(row => [String(row.t), String(row.u)])
    expect(new Set(times).size).toBe(8)
  })

  test('many documents', async () => {
    const name = await server.holding([
      { _id: 1, a: 1 },
      { _id: 2, a: 2 },
      { _id: 3, a: 2 },
    ])
    const reply = await server.run({
      update: name,
      updates: [{ q: { a: 2 }, u: { $set: { a: 1 } }, multi: true }],
    })
    expect([plain(reply.n), plain(reply.nModified)]).toEqual([2, 2])
    const again = await server.run({ update: name, updates: [{ q: {}, u: { $set: { a: 1 } }, multi: true }] })
    expect([plain(again.n), plain(again.nModified)]).toEqual([3, 0])
  })

  test('an update that creates new matches changes each document once', async () => {
    const name = await server.holding(Array.from({ length: 50 }, (_, i) => ({ _id: i, n: i })))
    await server.run({ createIndexes: name, indexes: [{ key: { n: 1 }, name: 'n' }] })
    const reply = await server.run({
      update: name,
      updates: [{ q: { n: { $gte: 0 } }, u: { $inc: { n: 10 } }, multi: true }],
    })
    expect(plain(reply.nModified)).toBe(50)
    const [sum] = await server.aggregate(name, [{ $group: { _id: null, n: { $sum: '$n' } } }])
    expect(plain(sum?.n)).toBe(1225 + 500)
  })
})

describe('upserts', () => {
  /** Queries without a match, updates, and the upserted documents. */
  const upserts: [name: string, query: Document, update: Document, made: Document | number][] = [
    ['equalities become fields', { a: 1, 'b.c': 2 }, { $set: { d: 3 } }, { a: 1, b: { c: 2 }, d: 3 }],
    ['$eq does too', { a: { $eq: 1 } }, { $set: { d: 3 } }, { a: 1, d: 3 }],
    ['$and does too', { $and: [{ a: 1 }, { b: 2 }] }, { $set: { d: 3 } }, { a: 1, b: 2, d: 3 }],
    ['$in of one value does too', { a: { $in: [4] } }, { $set: { d: 3 } }, { a: 4, d: 3 }],
    ['other operators do not', { a: { $gt: 1 }, b: { $in: [1, 2] } }, { $set: { d: 3 } }, { d: 3 }],
    ['$or of several does not', { $or: [{ a: 1 }, { a: 2 }] }, { $set: { d: 3 } }, { d: 3 }],
    ['$setOnInsert', { a: 1 }, { $setOnInsert: { b: 2 }, $set: { c: 3 } }, { a: 1, b: 2, c: 3 }],
    ['modifiers apply to the query fields', { a: 1 }, { $inc: { a: 5 } }, { a: 6 }],
    ['$push', { a: 1 }, { $push: { l: 1 } }, { a: 1, l: [1] }],
    ['a replacement ignores the query', { a: 1 }, { b: 2 }, { b: 2 }],
    ['$set of a name with a dollar', { a: 1 }, { $set: { $b: 1 } }, { a: 1, $b: 1 }],
    ['a replacement with a name with a dollar', {}, { a: 1, $b: 1 }, { a: 1, $b: 1 }],
    ['a query for a name with a dollar', { 'a.$b': 1 }, { $set: { c: 1 } }, { a: { $b: 1 }, c: 1 }],
    [
      'a reference becomes a field',
      { a: { $ref: 'c', $id: 1 } },
      { $set: { b: 1 } },
      { a: { $ref: 'c', $id: 1 }, b: 1 },
    ],
    ['a pipeline sees the query fields', { a: 1 }, [{ $set: { b: { $add: ['$a', 1] } } }], { a: 1, b: 2 }],
    ['one field from two equalities is refused', { $and: [{ a: 1 }, { a: 2 }] }, { $set: { b: 1 } }, 54],
    ['a field and one inside it are refused', { a: { x: 1 }, 'a.b': 2 }, { $set: { b: 1 } }, 54],
  ]
  test.each(upserts)('%s', async (_, query, update, made) => {
    const name = await server.holding([])
    const command = { update: name, updates: [{ q: { _id: 7, ...query }, u: update, upsert: true }] }
    if (typeof made === 'number') {
      expect((await server.failure(command)).code).toBe(made)
      return
    }
    const reply = await server.run(command)
    expect(plain(reply.n)).toBe(1)
    expect(plain(reply.nModified)).toBe(0)
    expect(plain(reply.upserted[0]._id)).toBe(7)
    const [doc] = await server.find(name)
    expect(exact(doc)).toBe(exact({ _id: new Int32(7), ...made }))
  })

  test('an upsert generates a missing _id, and $setOnInsert applies only to inserts', async () => {
    const name = await server.holding([])
    const upsert = { q: { k: 1 }, u: { $setOnInsert: { made: 1 }, $inc: { n: 1 } }, upsert: true }
    const reply = await server.run({ update: name, updates: [upsert] })
    expect(reply.upserted[0]._id).toBeInstanceOf(ObjectId)
    await server.run({
      update: name,
      updates: [{ ...upsert, u: { $setOnInsert: { made: 2 }, $inc: { n: 1 } } }],
    })
    const [doc] = await server.find(name, { projection: { _id: 0 } })
    expect(exact(doc)).toBe(exact({ k: new Int32(1), made: new Int32(1), n: new Int32(2) }))
  })
})

describe('findAndModify', () => {
  test('returns the document before or after the change', async () => {
    const name = await server.holding([
      { _id: 1, a: 1, b: 1 },
      { _id: 2, a: 1, b: 2 },
    ])
    const before = await server.run({
      findAndModify: name,
      query: { a: 1 },
      sort: { b: -1 },
      update: { $inc: { b: 10 } },
    })
    expect(exact(before.value)).toBe(exact({ _id: new Int32(2), a: new Int32(1), b: new Int32(2) }))
    const after = await server.run({
      findAndModify: name,
      query: { _id: 1 },
      update: { $inc: { b: 10 } },
      new: true,
      fields: { b: 1 },
    })
    expect(exact(after.value)).toBe(exact({ _id: new Int32(1), b: new Int32(11) }))
    const removed = await server.run({ findAndModify: name, query: {}, sort: { b: 1 }, remove: true })
    expect(plain(removed.value._id)).toBe(1)
    const none = await server.run({ findAndModify: name, query: { a: 9 }, update: { $set: { a: 1 } } })
    expect([none.value, none.lastErrorObject.updatedExisting]).toEqual([null, false])
    const made = await server.run({
      findAndModify: name,
      query: { _id: 5 },
      update: { $set: { a: 1 } },
      upsert: true,
      new: true,
    })
    expect(exact(made.value)).toBe(exact({ _id: new Int32(5), a: new Int32(1) }))
    expect(plain(made.lastErrorObject.upserted)).toBe(5)
  })

  test('rejects contradictory options', async () => {
    const name = await server.holding([])
    for (const options of [
      { remove: true, new: true },
      { remove: true, update: {} },
      { remove: true, upsert: true },
      {},
    ])
      expect((await server.failure({ findAndModify: name, query: {}, ...options })).code).toBe(9)
  })
})
