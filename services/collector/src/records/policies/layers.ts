import { LIMITS, mergeRecords, type RecordOf, type SeenRecord, type Source } from '@iodine/contracts'
import type { Types } from 'mongoose'
import type { Layers, RecordForm } from '../models/record.js'
import { packRecord, unpackRecord } from '../presenters/record.js'

type Observation = SeenRecord<RecordOf[Source]>
type Layered = RecordForm & { layers?: Layers | undefined }
interface Filled extends Layers {
  imports: ({ id: Types.ObjectId } & RecordForm)[]
}

/** Layers per record. The oldest ones become part of the base. */
const LAYERS_MAX = 20

export const formOf = ({ record, seen }: Observation): RecordForm => ({
  data: packRecord(record),
  ...(seen && { seen }),
})
export const observationOf = (form: RecordForm): Observation => ({
  record: unpackRecord(form),
  seen: form.seen,
})

const merged = (form: RecordForm | undefined, incoming: Observation): RecordForm =>
  form ? formOf(mergeRecords(observationOf(form), incoming)) : formOf(incoming)

/** Returns a record's layers with their data. */
const filled = ({ data, seen, layers }: Layered): Filled => {
  const own = { data, ...(seen && { seen }) }
  if (!layers) return { base: own, imports: [] }
  const imports = layers.imports.map(({ id, data, seen }) =>
    data ? { id, data, ...(seen && { seen }) } : { id, ...own },
  )
  return { ...layers, imports }
}

/** Adds layers that can no longer be undone to the base. Omits data that equals the record's. */
const compact = ({ base, imports }: Filled): Layers | undefined => {
  const oldest = Date.now() - LIMITS.importUndoDays * 24 * 3_600_000
  const isKept = ({ id }: { id: Types.ObjectId }, n: number) =>
    n >= imports.length - LAYERS_MAX && id.getTimestamp().getTime() > oldest
  const whole = imports
    .filter((layer, n) => !isKept(layer, n))
    .reduce<RecordForm | undefined>((sum, layer) => merged(sum, observationOf(layer)), base)
  const kept = imports.filter(isKept)
  if (kept.length === 0) return undefined
  if (whole) return { base: whole, imports: kept }
  return kept.length === 1 ? { imports: kept.map(({ id }) => ({ id })) } : { imports: kept }
}

/** Returns the layers of a new record. */
export const firstLayers = (import_id: Types.ObjectId | undefined): Layers | undefined =>
  import_id && { imports: [{ id: import_id }] }

/**
 * Returns a record's layers after another observation.
 * @param doc the record before
 * @param import_id import that the observation belongs to
 * @param changed whether the observation changes the record
 */
export const withObservation = (
  doc: Layered,
  incoming: Observation,
  import_id: Types.ObjectId | undefined,
  changed: boolean,
): Layers | undefined => {
  // Nothing can be undone in a record that consists of its base.
  if (!doc.layers && (!import_id || !changed)) return undefined
  const { base, imports } = filled(doc)
  if (!import_id) return compact({ base: merged(base, incoming), imports })
  const own = imports.find(({ id }) => id.equals(import_id))
  return compact({
    ...(base && { base }),
    imports: [...imports.filter(layer => layer !== own), { id: import_id, ...merged(own, incoming) }],
  })
}

/** Returns a record without the observations of an import; undefined if it has no others. */
export const withoutImport = (doc: Layered, import_id: Types.ObjectId): Layered | undefined => {
  const { base, imports } = filled(doc)
  const others = imports.filter(({ id }) => !id.equals(import_id))
  const [first, ...rest] = [...(base ? [base] : []), ...others]
  if (!first) return undefined
  const form = rest.reduce<RecordForm>((sum, each) => merged(sum, observationOf(each)), {
    data: first.data,
    ...(first.seen && { seen: first.seen }),
  })
  const layers = others.length > 0 ? compact({ ...(base && { base }), imports: others }) : undefined
  return { ...form, ...(layers && { layers }) }
}
