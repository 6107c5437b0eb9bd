import { Doc, type Value } from './bson/values.js'

/** The names of the MongoDB error codes that this server uses. */
const codeNames: Record<number, string> = {
  1: 'InternalError',
  2: 'BadValue',
  9: 'FailedToParse',
  13: 'Unauthorized',
  14: 'TypeMismatch',
  15: 'Overflow',
  17: 'ProtocolError',
  20: 'IllegalOperation',
  22: 'InvalidBSON',
  26: 'NamespaceNotFound',
  27: 'IndexNotFound',
  28: 'PathNotViable',
  40: 'ConflictingUpdateOperators',
  43: 'CursorNotFound',
  48: 'NamespaceExists',
  50: 'MaxTimeMSExpired',
  51: 'ManualInterventionRequired',
  52: 'DollarPrefixedFieldName',
  53: 'InvalidIdField',
  54: 'NotSingleValueField',
  55: 'InvalidDBRef',
  56: 'EmptyFieldName',
  59: 'CommandNotFound',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  68: 'IndexAlreadyExists',
  72: 'InvalidOptions',
  73: 'InvalidNamespace',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  79: 'UnknownReplWriteConcern',
  96: 'OperationFailed',
  100: 'UnsatisfiableWriteConcern',
  112: 'WriteConflict',
  115: 'CommandNotSupported',
  146: 'ExceededMemoryLimit',
  168: 'InvalidPipelineOperator',
  171: 'CannotIndexParallelArrays',
  175: 'QueryPlanKilled',
  209: 'ClusterTimeFailsRateLimiter',
  225: 'TransactionTooOld',
  237: 'CursorKilled',
  238: 'NotImplemented',
  241: 'ConversionFailure',
  251: 'NoSuchTransaction',
  256: 'TransactionCommitted',
  263: 'OperationNotSupportedInTransaction',
  279: 'ClientDisconnect',
  278: 'UnsatisfiableCommitQuorum',
  303: 'FeatureNotSupported',
  322: 'APIVersionError',
  323: 'APIStrictError',
  10334: 'BSONObjectTooLarge',
  11000: 'DuplicateKey',
  11600: 'InterruptedAtShutdown',
  12051: 'CursorInUse',
  28667: 'Location28667',
}

/** An error reply to a client: MongoDB's code, its name, and additional fields. */
export class MongoError extends Error {
  readonly code: number
  readonly extra: ReadonlyMap<string, Value>
  readonly labels: string[]

  constructor(code: number, message: string, extra: Map<string, Value> = new Map(), labels: string[] = []) {
    super(message)
    this.code = code
    this.extra = extra
    this.labels = labels
  }

  get codeName() {
    return codeNames[this.code] ?? `Location${this.code}`
  }

  /** Returns the error reply of a command. */
  toReply(): Doc {
    const reply = Doc.of({ ok: 0, errmsg: this.message, code: this.code, codeName: this.codeName })
    for (const [key, value] of this.extra) reply.set(key, value)
    if (this.labels.length > 0) reply.set('errorLabels', this.labels)
    return reply
  }
}

export const fail = (code: number, message: string): never => {
  throw new MongoError(code, message)
}

export const writeConflict = () =>
  new MongoError(
    112,
    'Caused by :: Write conflict during plan execution and yielding is disabled. :: Please retry your operation or multi-document transaction.',
    new Map(),
    ['TransientTransactionError'],
  )

/** Codes that fail a whole command rather than one statement: time limits, kills and conflicts. */
const interruptions = new Set([50, 112, 175, 237, 251, 279, 11600])

export const isInterruption = (error: MongoError) => interruptions.has(error.code)
