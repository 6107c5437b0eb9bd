/**
 * Prints a new deployment's secrets, each made once and kept: as .env for docker-compose.yml, or with --kubernetes as a
 * Secret for `kubectl apply -f -`, which also holds the addresses that carry passwords (MONGODB_URI, REDIS_URL, SMTP_URL
 * of the environment, else those of deploy/kubernetes/databases).
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto'

const signingKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
const secrets = {
  SERVICE_KEY: randomBytes(24).toString('hex'),
  SECRETS_KEY: randomBytes(32).toString('base64'),
  JWT_PRIVATE_KEY: signingKey.toString().trim(),
}

const dotEnv = () =>
  [
    `SERVICE_KEY=${secrets.SERVICE_KEY}`,
    `SECRETS_KEY=${secrets.SECRETS_KEY}`,
    `JWT_PRIVATE_KEY=${JSON.stringify(secrets.JWT_PRIVATE_KEY)}`,
    '# An inbox at http://localhost:1080 in the place of a mail server: without it, set SMTP_URL.',
    'COMPOSE_PROFILES=maildev',
    '',
  ].join('\n')

const secret = () => {
  const REDIS_PASSWORD = randomBytes(18).toString('base64url')
  const {
    MONGODB_URI = 'mongodb://mongo-0.mongo:27017,mongo-1.mongo:27017,mongo-2.mongo:27017/?replicaSet=rs0',
    REDIS_URL = `redis://:${REDIS_PASSWORD}@redis:6379`,
    SMTP_URL,
  } = process.env
  if (!SMTP_URL) throw new Error('Set SMTP_URL, such as smtps://user:password@mail.example.org')
  return `${JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'iodine', namespace: 'iodine' },
      stringData: { ...secrets, MONGODB_URI, REDIS_URL, REDIS_PASSWORD, SMTP_URL },
    },
    null,
    2,
  )}\n`
}

process.stdout.write(process.argv.includes('--kubernetes') ? secret() : dotEnv())
