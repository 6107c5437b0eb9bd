/**
 * Generates a deployment's secrets:
 *   node deploy/new-env.mjs FILE                environment of docker-compose.yml; existing values are kept
 *   node deploy/new-env.mjs --kubernetes FILE   Secrets for `kubectl apply -f FILE`
 * The file is readable only by its owner. The Secret `iodine` also holds the URLs with passwords: MONGODB_URI,
 * REDIS_URL and SMTP_URL from the environment, else those of deploy/kubernetes/databases. The Secret
 * `iodine-mongo-users` holds the passwords of MongoDB's users.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs, parseEnv } from 'node:util'

/** Services with a separate database and MongoDB user. */
const STORES = [
  ...readFileSync(new URL('../docker-compose.yml', import.meta.url), 'utf8').matchAll(
    /^ +MONGO_(?!ROOT_)([A-Z]+)_PASSWORD:/gm,
  ),
].map(([, name]) => name.toLowerCase())

const password = () => randomBytes(24).toString('base64url')
const signingKey = () =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().trim()

const newSecrets = () => ({
  SERVICE_KEY: randomBytes(24).toString('hex'),
  SECRETS_KEY: randomBytes(32).toString('base64'),
  JWT_PRIVATE_KEY: signingKey(),
  SEAL_PRIVATE_KEY: signingKey(),
  REDIS_PASSWORD: password(),
  // Key file with which members of the replica set authenticate each other.
  MONGO_KEY: randomBytes(48).toString('base64'),
})
/** Generates passwords for MongoDB's users. */
const newUsers = () =>
  Object.fromEntries(['root', ...STORES].map(name => [`MONGO_${name.toUpperCase()}_PASSWORD`, password()]))

const dotEnv = before => {
  const has = parseEnv(before)
  const lines = Object.entries({ ...newSecrets(), ...newUsers() })
    .filter(([name]) => !(name in has))
    .map(([name, value]) => `${name}=${value.includes('\n') ? JSON.stringify(value) : value}`)
  if (before === '')
    lines.push(
      '# An inbox at http://localhost:1080 in the place of a mail server: without it, set SMTP_URL.',
      'COMPOSE_PROFILES=inbox',
    )
  return [before.trimEnd(), ...lines].filter(Boolean).join('\n').concat('\n')
}

const secrets = () => {
  const own = newSecrets()
  const users = newUsers()
  const { MONGODB_URI, REDIS_URL = `redis://:${own.REDIS_PASSWORD}@redis:6379`, SMTP_URL } = process.env
  if (!SMTP_URL) throw new Error('Set SMTP_URL, such as smtps://user:password@mail.example.org')
  const members = [0, 1, 2].map(n => `mongo-${n}.mongo:27017`).join(',')
  const addresses = Object.fromEntries(
    STORES.map(name => {
      const pwd = users[`MONGO_${name.toUpperCase()}_PASSWORD`]
      const uri = `mongodb://${name}:${pwd}@${members}/?replicaSet=rs0&authSource=admin`
      return [`MONGODB_URI_${name.toUpperCase()}`, MONGODB_URI ?? uri]
    }),
  )
  const secret = (name, stringData) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'iodine' },
    stringData,
  })
  const items = [
    secret('iodine', { ...own, ...addresses, REDIS_URL, SMTP_URL }),
    secret('iodine-mongo-users', users),
  ]
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`
}

try {
  const { values, positionals } = parseArgs({
    options: { kubernetes: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const [file] = positionals
  if (!file) throw new Error('Name the file, best outside this folder: node deploy/new-env.mjs ../iodine.env')
  const isThere = existsSync(file)
  if (values.kubernetes && isThere)
    throw new Error(`${file} is there already: its secrets open what the databases hold.`)
  const text = values.kubernetes ? secrets() : dotEnv(isThere ? readFileSync(file, 'utf8') : '')
  // Readable only by its owner.
  writeFileSync(file, text, { mode: 0o600, flag: values.kubernetes ? 'wx' : 'w' })
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
