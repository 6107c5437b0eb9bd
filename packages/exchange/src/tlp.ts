import { highestTlp, TLP_LEVELS, type Tlp } from '@iodine/contracts'
import { isObject } from './json/is-object.js'

const PREFIX = /^\s*tlp\s*:/i

/** Returns a level by its TLP 1.0 or 2.0 name, in any case, with or without `TLP:`; undefined for other texts. */
const tlpOfName = (name: string): Tlp | undefined => {
  const level = name.toLowerCase().replace(PREFIX, '').trim()
  if (level === 'white') return 'clear'
  return TLP_LEVELS.find(each => each === level)
}

/** Returns the level in a field of a file: null if it is empty, red for an unknown level. */
export const tlpOfText = (given: unknown): Tlp | null => {
  if (given === undefined || given === null || given === '') return null
  return (typeof given === 'string' && tlpOfName(given)) || 'red'
}

/** Returns the level of a MISP tag; null for other tags. */
export const tlpOfTag = (name: string): Tlp | null => (PREFIX.test(name) ? tlpOfText(name) : null)

/** Ids of TLP 1.0's markings, fixed by STIX 2.1, section 7.2.1.4. */
const IDS_1: readonly (readonly [Tlp, string])[] = [
  ['clear', '613f2e26-407d-48c7-9eca-b8e91df99dc9'],
  ['green', '34098fce-860f-48ae-8e50-ebd3cc5e41da'],
  ['amber', 'f88d31f6-486f-44da-b317-01333bde0b82'],
  ['red', '5e57c739-391a-4eb3-b6be-7d15ca92d5ed'],
]
/** Ids of TLP 2.0's markings, of the OASIS extension definition `tlp-2.0`. */
const IDS_2: readonly (readonly [Tlp, string])[] = [
  ['clear', '94868c89-83c2-464b-929b-a1a8aa3c8487'],
  ['green', 'bab4a63c-aed9-4cf5-a766-dfca5abac2bb'],
  ['amber', '55d920b0-5e8b-4f79-9ee9-91f868d9b421'],
  ['amber+strict', '939a9414-2ddd-4d32-a0cd-375ea402b003'],
  ['red', 'e828b379-4e03-4974-9ac4-e53a884c97c1'],
]
/** OpenCTI's id for the level that TLP 1.0 lacks. */
const IDS_OPENCTI: readonly (readonly [Tlp, string])[] = [
  ['amber+strict', '826578e1-40ad-459f-bc73-ede076f81f37'],
]
const BY_ID = new Map<string, Tlp>(
  [...IDS_1, ...IDS_2, ...IDS_OPENCTI].map(([level, id]) => [`marking-definition--${id}`, level]),
)

/** Returns the level of a marking by its id; undefined for other markings. */
export const tlpOfMarkingId = (id: string): Tlp | undefined => BY_ID.get(id.toLowerCase())

/**
 * Returns the level of a `marking-definition`: the strictest of the level of a standard id and all levels in the
 * definition. Unknown levels and definitions without a level count as red. Null for statements without a level, such as
 * copyright. OpenCTI writes levels into statements.
 */
export const tlpOfDefinition = (definition: Readonly<Record<string, unknown>>): Tlp | null => {
  const known = typeof definition.id === 'string' ? tlpOfMarkingId(definition.id) : undefined
  const { name, definition_type, x_opencti_definition_type, x_opencti_definition } = definition
  const extensions = Object.values(isObject(definition.extensions) ? definition.extensions : {}).filter(
    isObject,
  )
  const stated = [
    isObject(definition.definition) ? definition.definition.tlp : undefined,
    ...extensions.flatMap(({ tlp_2_0, tlp }) => [tlp_2_0, tlp]),
    ...[name, x_opencti_definition].filter(each => typeof each === 'string' && PREFIX.test(each)),
    x_opencti_definition_type === 'TLP' ? x_opencti_definition : undefined,
  ].filter(each => each !== undefined)
  if (stated.length > 0 || known)
    return highestTlp([
      known,
      ...stated.map(each => (typeof each === 'string' && tlpOfName(each)) || ('red' as const)),
    ])
  return definition_type === 'statement' && x_opencti_definition_type !== 'TLP' ? null : 'red'
}

/**
 * Returns a level's STIX marking: of TLP 1.0, which all readers support, or of TLP 2.0 for levels that 1.0 lacks.
 * Shape of the objects: STIX 2.1, section 7.2.1.4, and the extension definition `tlp-2.0`.
 */
export const toMarking = (level: Tlp) => {
  const old = IDS_1.find(([each]) => each === level)
  if (!old) {
    return {
      type: 'marking-definition',
      spec_version: '2.1',
      id: `marking-definition--${IDS_2.find(([each]) => each === level)?.[1]}`,
      created: '2022-10-01T00:00:00.000Z',
      name: `TLP:${level.toUpperCase()}`,
      extensions: {
        'extension-definition--60a3c5c5-0d10-413e-aab3-9e08dde9e88d': {
          extension_type: 'property-extension',
          tlp_2_0: level,
        },
      },
    }
  }
  const tlp = level === 'clear' ? 'white' : level
  return {
    type: 'marking-definition',
    spec_version: '2.1',
    id: `marking-definition--${old[1]}`,
    created: '2017-01-20T00:00:00.000Z',
    definition_type: 'tlp',
    name: `TLP:${tlp.toUpperCase()}`,
    definition: { tlp },
  }
}
