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

/** What a running deployment knows of a key. */
export interface KeyState extends KnownKey {
  /** Stored values that it seals. */
  values: number
}

export interface Key {
  id: string
  /** The key as the setting holds it. */
  text: string
}

const isSealing = (setting: KeySetting) => setting === 'SECRETS_KEY'

/** Keys of a setting, the first in use. Entries that name a lost key have its name as id. */
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

/** Reverses `keysOf`. */
export const settingOf = (setting: KeySetting, keys: readonly Key[]): string =>
  keys.map(({ text }) => text.trim()).join(isSealing(setting) ? ',' : '\n')

const newKey = async (setting: KeySetting): Promise<Key> => {
  const [key] = await keysOf(setting, isSealing(setting) ? newSecretsKey() : newSigningKey())
  return key as Key
}

/** Asks the services for all keys and the number of values under each. */
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

/** True for a key behind the first one that nothing needs any more. */
export const isUnneeded = ({ place, needed_until, values }: KeyState): boolean => {
  if (values > 0) return false
  if (place === 'lost') return true
  return place === 'other' && needed_until !== null && Date.parse(needed_until) < Date.now()
}

/** What is to be done next to exchange a key: `next` is undefined while there is nothing to do. */
export interface Step {
  next: Key[] | undefined
  said: string
}

/** As much of a key's name as is shown. */
export const shortOf = (id: string): string => id.slice(0, 10)
const valuesOf = (count: number) => (count === 1 ? '1 value' : `${count} values`)

/**
 * The next step of a rotation.
 * @param keys of the setting as it will be read at the next start
 * @param together all parts start anew at once: a new key is in use at once. Otherwise each part first learns it,
 *   and only then is it used
 */
export const nextStep = async (
  setting: KeySetting,
  keys: readonly Key[],
  known: readonly KeyState[],
  together: boolean,
): Promise<Step> => {
  const stateOf = ({ id }: Key) => known.find(key => key.setting === setting && key.id === id)
  const [first] = keys
  if (!first) throw new Error(`${setting} holds no key`)
  if (stateOf(first)?.place !== 'first')
    return { next: undefined, said: `${shortOf(first.id)} is in use once all parts have started anew` }
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
        said: `${namesOf([incoming])} is in use from now on, in the place of ${namesOf([first])}`,
      }
    if (out.length > 0) return { next: [first, ...others], said: `${namesOf(out)} is needed no more` }
    const needed = others.filter(key => stateOf(key)?.place === 'other')
    if (needed.length > 0)
      return {
        next: undefined,
        said: `${namesOf(needed)} is still needed: npm run account -- keys says for how long`,
      }
  }
  if (others.length + 1 >= KEYS_MAX)
    return { next: undefined, said: `it has ${KEYS_MAX} keys already, all of which are needed` }
  const key = await newKey(setting)
  return together
    ? { next: [key, first, ...others], said: `${namesOf([key])} is new, in the place of ${namesOf([first])}` }
    : {
        next: [first, ...others, key],
        said: `${namesOf([key])} is new: the parts learn it before it is used`,
      }
}

/** Lines that say which keys there are and how long each is needed. */
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
    return seals ? `missing${held}: put it back` : `missing: what it signed until ${until} UTC is refused`
  if (used_at === null) return 'new: not in use yet'
  if (isUnneeded(key)) return 'needed no more'
  return values > 0 ? `needed, ${valuesOf(values)} until sealed anew` : `needed until ${until} UTC`
}
