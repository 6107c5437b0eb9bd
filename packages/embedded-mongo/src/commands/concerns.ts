import { asInteger } from '../bson/numbers.js'
import { Doc, isNumeric, typeName, type Value } from '../bson/values.js'
import type { ClusterClock } from '../clock.js'
import { fail, MongoError } from '../errors.js'

type Circumstances = {
  name: string
  /** Whether the command may write. */
  writes: boolean
  /** Whether the command is in a transaction, and whether it starts the transaction. */
  transaction: boolean
  starts: boolean
}

const concern = (command: Doc, name: string): Doc | undefined => {
  const value = command.get(name)
  if (value === undefined || value instanceof Doc) return value
  return fail(14, `"${name}" had the wrong type. Expected object, found ${typeName(value)}`)
}

/** Rejects read and write concerns that MongoDB rejects or that this server cannot satisfy. */
export const checkConcerns = (command: Doc, clock: ClusterClock, circumstances: Circumstances) => {
  checkWriteConcern(concern(command, 'writeConcern'), circumstances)
  checkReadConcern(concern(command, 'readConcern'), clock, circumstances)
}

const ends = new Set(['commitTransaction', 'abortTransaction'])

const checkWriteConcern = (given: Doc | undefined, { name, writes, transaction }: Circumstances) => {
  if (!given) return
  for (const field of given.keys())
    if (!['w', 'j', 'wtimeout', 'fsync', 'provenance'].includes(field))
      fail(9, `unrecognized write concern field: ${field}`)
  if (transaction && !ends.has(name))
    fail(72, 'writeConcern is not allowed within a multi-statement transaction')
  if (!writes) fail(72, `Command ${name} does not support writeConcern`)
  const w = given.get('w') ?? 1
  if (typeof w === 'string') return
  if (!isNumeric(w)) fail(9, `w has to be a number or a string, found: ${typeName(w)}`)
  const members = asInteger(w)
  if (members === undefined || members < 0 || members > 50)
    fail(9, 'w has to be a non-negative number and not greater than 50')
}

const levels = ['local', 'available', 'majority', 'linearizable', 'snapshot']

const checkReadConcern = (
  given: Doc | undefined,
  clock: ClusterClock,
  { name, writes, transaction, starts }: Circumstances,
) => {
  if (!given) return
  for (const field of given.keys())
    if (!['level', 'afterClusterTime', 'atClusterTime', 'provenance'].includes(field))
      fail(40415, `BSON field 'readConcern.${field}' is an unknown field.`)
  const level: Value = given.get('level') ?? 'local'
  if (!levels.includes(level as string))
    fail(9, `Enumeration value '${String(level)}' for field 'readConcern.level' is not a valid value.`)
  if (given.has('atClusterTime')) fail(72, 'Reads at a time that is over are not supported')
  const after = given.get('afterClusterTime')
  if (after !== undefined) clock.checkAfter(after)
  if (transaction) {
    if (!starts && given.has('level'))
      fail(72, 'Only the first command in a transaction may specify a readConcern')
    if (level === 'available' || level === 'linearizable')
      fail(
        72,
        "The readConcern level must be either 'local' (default), 'majority' or 'snapshot' in order to run in a transaction",
      )
    return
  }
  if (level === 'snapshot' || (writes && level !== 'local'))
    fail(72, `Command ${name} does not support { readConcern: { level: "${level as string}" } }`)
}

/** Returns the `writeConcernError` of a write concern that a single-member replica set cannot satisfy. */
export const writeConcernError = (command: Doc): Doc | undefined => {
  const given = command.get('writeConcern')
  const w = given instanceof Doc ? given.get('w') : undefined
  const error =
    typeof w === 'string'
      ? w !== 'majority' &&
        w !== '' &&
        new MongoError(79, `No write concern mode named '${w}' found in replica set configuration`)
      : (asInteger(w) ?? 1) > 1 && new MongoError(100, 'Not enough data-bearing nodes')
  if (!error) return undefined
  const asked = new Doc(given as Doc)
  if (!asked.has('wtimeout')) asked.set('wtimeout', 0)
  return Doc.of({
    code: error.code,
    codeName: error.codeName,
    errmsg: error.message,
    errInfo: Doc.of({ writeConcern: asked.set('provenance', 'clientSupplied') }),
  })
}
