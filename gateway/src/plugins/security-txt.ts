import type { FastifyInstance } from 'fastify'
import type { GatewayConfig } from '../config.js'

const DAY_MS = 24 * 3_600_000
/** RFC 9116, 2.5.5 recommends less than a year. */
const VALID_DAYS = 180

/** Serves `security.txt` (RFC 9116): the contact for vulnerabilities of this deployment. */
export const addSecurityTxt = (app: FastifyInstance, config: GatewayConfig): void => {
  app.get('/.well-known/security.txt', async (_request, reply) => {
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
    const fields: [string, string][] = [
      ['Contact', `mailto:${config.CONTACT_EMAIL}`],
      ['Expires', new Date(today + VALID_DAYS * DAY_MS).toISOString()],
      ['Preferred-Languages', 'en, fr'],
      ...(config.PUBLIC_URL
        ? [['Canonical', new URL('/.well-known/security.txt', config.PUBLIC_URL).href] as [string, string]]
        : []),
    ]
    return reply
      .type('text/plain; charset=utf-8')
      .send(fields.map(([name, value]) => `${name}: ${value}\r\n`).join(''))
  })
}
