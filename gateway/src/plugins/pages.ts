import { PAGE_CSP, toErrorPage } from '@iodine/reports/error-page'
import { errorAnswer } from '@iodine/service-kit'
import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'

/** Sets the headers of an error page and returns its text. */
const turnIntoPage = (request: FastifyRequest, reply: FastifyReply): string => {
  reply
    .type('text/html; charset=utf-8')
    .headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex', vary: 'Accept-Language' })
    .removeHeader('content-length')
  return toErrorPage(reply.statusCode, { languages: request.headers['accept-language'] })
}

const isJson = (reply: FastifyReply) => /^application\/json\b/.test(String(reply.getHeader('content-type')))

/** Options of the routes of public pages: errors are pages, answers carry the pages’ policy and set no cookie. */
export const PAGE_ROUTE: Pick<RouteShorthandOptions, 'errorHandler' | 'onSend'> = {
  errorHandler(error, request, reply) {
    const { status, headers = {} } = errorAnswer(error)
    if (status >= 500) request.log.error({ request_id: request.id, err: error }, 'request failed')
    reply.code(status).headers(headers)
    reply.send(turnIntoPage(request, reply))
  },
  // The service answers its own errors by pages, but invalid input or a failure by JSON.
  async onSend(request, reply, payload) {
    const page = reply.statusCode >= 400 && isJson(reply) ? turnIntoPage(request, reply) : payload
    reply.header('content-security-policy', PAGE_CSP).removeHeader('set-cookie')
    return page
  },
}

/** Text of `robots.txt`: crawlers must read the pages of reports to see which ones must not be listed. */
export const ROBOTS = 'User-agent: *\nAllow: /reports\nDisallow: /api/\n'
