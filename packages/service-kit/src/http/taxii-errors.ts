import { TAXII_TYPE } from '@iodine/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorAnswer } from './app.js'

/** Answers with an error message of TAXII 2.1 (section 3.6.1). Maps status 422 to 400. */
export const sendTaxiiError = (
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply => {
  const { status: usual, detail, headers = {} } = errorAnswer(error)
  const status = usual === 422 ? 400 : usual
  if (status >= 500) request.log.error({ request_id: request.id, err: error }, 'request failed')
  const title = Array.isArray(detail) ? detail.join(', ') : detail
  const message = { title, http_status: String(status), error_id: request.id }
  // As bytes: Fastify would add a charset to the type of a text.
  return reply
    .code(status)
    .headers(headers)
    .type(TAXII_TYPE)
    .send(Buffer.from(JSON.stringify(message)))
}
