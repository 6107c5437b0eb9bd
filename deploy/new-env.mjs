/** Prints a new .env for docker-compose.yml: the secrets, each made once for a deployment and kept. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'

const signingKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
process.stdout.write(`SERVICE_KEY=${randomBytes(24).toString('hex')}
SECRETS_KEY=${randomBytes(32).toString('base64')}
JWT_PRIVATE_KEY=${JSON.stringify(signingKey.toString().trim())}
`)
