import { createPrivateKey, createPublicKey } from 'node:crypto'
import {
  KEY_SETTINGS,
  type KeySetting,
  type KnownKey,
  keysInternal,
  type SealedCount,
  secretsInternal,
  servicesWith,
} from '@iodine/contracts'
import {
  KEYS_MAX,
  keyringOf,
  newSecretsKey,
  newSigningKey,
  type Peers,
  signingKeysOf,
} from '@iodine/service-kit'
import { calculateJwkThumbprint, exportJWK } from 'jose'

/** State of a key in the running deployment. */
export interface KeyState extends KnownKey {
  /** Number of stored values that the key seals. */
  values: number
}

export interface Key {
  id: string
  /** The key's text in the setting. */
  text: string
}

const isSealing = (setting: KeySetting) => setting === 'SECRETS_KEY'

/** Returns the keys of a setting, the active one first. Entries for lost keys have the lost key's id. */
export const keysOf = async (setting: KeySetting, value: string): Promise<Key[]> => {
  if (isSealing(setting))
    return value.split(',').map(text => ({
      id: text.startsWith('lost:') ? text.slice('lost:'.length) : keyringOf(text).id,
      text,
    }))
  return Promise.all(
    signingKeysOf(value).map(async text => ({
      id: await calculateJwkThumbprint(await exportJWK(createPublicKey(createPrivateKey(text)))),
      text,
    })),
  )
}

/** Returns the value of a setting with these keys. Inverse of `keysOf`. */
export const settingOf = (setting: KeySetting, keys: readonly Key[]): string =>
  keys.map(({ text }) => text.trim()).join(isSealing(setting) ? ',' : '\n')

const newKey = async (setting: KeySetting): Promise<Key> => {
  const [key] = await keysOf(setting, isSealing(setting) ? newSecretsKey() : newSigningKey())
  return key as Key
}

/** Queries the services for all keys and the number of values under each. */
export const readKeyStates = async (peers: Peers): Promise<KeyState[]> => {
  const [keys, ...counted] = await Promise.all([
    peers.call('auth', keysInternal.getKeys),
    ...servicesWith(secretsInternal.countSealed).map(
      (name): Promise<SealedCount[]> => peers.call(name, secretsInternal.countSealed, { ms: 30_000 }),
    ),
  ])
  const values = new Map<string, number>()
  for (const { key, count } of counted.flat()) values.set(key, (values.get(key) ?? 0) + count)
  const states = keys.map(key => ({ ...key, values: values.get(key.id) ?? 0 }))
  // Subscriptions may name a key that auth has never seen.
  for (const [id, count] of values)
    if (states.every(state => state.id !== id))
      states.push({
        setting: 'SECRETS_KEY',
        id,
        place: 'missing',
        used_at: null,
        needed_until: null,
        values: count,
      })
  return states
}

/** Returns true for an inactive key that no value or token needs. */
export const isUnneeded = ({ place, needed_until, values }: KeyState): boolean => {
  if (values > 0) return false
  if (place === 'lost') return true
  return place === 'other' && needed_until !== null && Date.parse(needed_until) < Date.now()
}

/** The next step of a key rotation: `next` is undefined if there is none. */
export interface RotationStep {
  next: Key[] | undefined
  message: string
}

/** Returns the part of a key's id that is shown. */
export const shortOf = (id: string): string => id.slice(0, 10)
const valuesOf = (count: number) => (count === 1 ? '1 value' : `${count} values`)

/**
 * Computes the next step of a rotation.
 * @param keys of the setting as the next start will read it
 * @param together all services restart at the same time, so that a new key can become active at once. Otherwise all
 *   services receive the key before it becomes active.
 */
export const nextStep = async (
  setting: KeySetting,
  keys: readonly Key[],
  known: readonly KeyState[],
  together: boolean,
): Promise<RotationStep> => {
  const stateOf = ({ id }: Key) => known.find(key => key.setting === setting && key.id === id)
  const [first] = keys
  if (!first) throw new Error(`${setting} holds no key`)
  if (stateOf(first)?.place !== 'first')
    return { next: undefined, message: `${shortOf(first.id)} becomes active once all parts have restarted` }
  const isOut = (key: Key) => {
    const state = stateOf(key)
    return state !== undefined && isUnneeded(state)
  }
  const others = keys.slice(1).filter(key => !isOut(key))
  const out = keys.slice(1).filter(isOut)
  const namesOf = (some: readonly Key[]) => some.map(({ id }) => shortOf(id)).join(', ')
  if (!together) {
    const incoming = others.find(key => stateOf(key)?.place === 'other' && stateOf(key)?.used_at === null)
    if (incoming)
      return {
        next: [incoming, ...keys.filter(key => key !== incoming)],
        message: `${namesOf([incoming])} replaces ${namesOf([first])} as the active key`,
      }
    if (out.length > 0)
      return { next: [first, ...others], message: `${namesOf(out)} is removed: it is not needed` }
    const needed = others.filter(key => stateOf(key)?.place === 'other')
    if (needed.length > 0)
      return {
        next: undefined,
        message: `${namesOf(needed)} is still needed: npm run account -- keys shows for how long`,
      }
  }
  if (others.length + 1 >= KEYS_MAX)
    return { next: undefined, message: `all ${KEYS_MAX} keys are still needed` }
  const key = await newKey(setting)
  return together
    ? {
        next: [key, first, ...others],
        message: `${namesOf([key])} is new and replaces ${namesOf([first])}`,
      }
    : {
        next: [first, ...others, key],
        message: `${namesOf([key])} is new: all parts receive it before it becomes active`,
      }
}

/** Returns lines that list the keys and state how long each is needed. */
export const describeKeys = (keys: readonly KeyState[]): string[] =>
  KEY_SETTINGS.flatMap(setting => [
    setting,
    ...keys
      .filter(key => key.setting === setting)
      .filter(({ place, values, needed_until }) =>
        place === 'missing'
          ? values > 0 || (!isSealing(setting) && Date.parse(needed_until ?? '') > Date.now())
          : true,
      )
      .map(key => `  ${shortOf(key.id)}  ${describe(key)}`),
  ])

const describe = (key: KeyState): string => {
  const { setting, place, needed_until, used_at, values } = key
  const seals = isSealing(setting)
  const held = seals ? `, ${valuesOf(values)}` : ''
  const until = needed_until?.slice(0, 16).replace('T', ' ')
  if (place === 'first') return `${seals ? 'seals' : 'signs'}${held}`
  if (place === 'lost') return `lost${held}`
  if (place === 'missing')
    return seals
      ? `missing${held}: add it again`
      : `missing: until ${until} UTC, tokens that it signed are rejected`
  if (used_at === null) return 'new: not in use yet'
  if (isUnneeded(key)) return 'not needed'
  return values > 0 ? `needed, ${valuesOf(values)} until resealed` : `needed until ${until} UTC`
}
