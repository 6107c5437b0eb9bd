import { PRODUCT_NAME } from '@iodine/contracts'
import { errorAnswer } from '@iodine/service-kit'
import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'

/** Policy of pages without scripts, which load only the style sheet and pictures of this origin. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Title and advice of an error page, by status. */
type Texts = Record<number, readonly [title: string, advice: string]>
const TEXTS: Record<'en' | 'fr', Texts & { all: string }> = {
  en: {
    all: 'All published reports',
    400: ['This address is not valid', 'Check the link that brought you here.'],
    404: ['There is no such page', 'Check the address: each report has a fixed one.'],
    406: ['This format is not available', 'The report’s page lists its files and their formats.'],
    410: ['This report was withdrawn', 'It is no longer published.'],
    429: ['Too many requests', 'Wait a minute, then load the page again.'],
    451: ['This version was removed for legal reasons', 'It is no longer available.'],
    500: ['This page failed to load', 'Load it again in a few minutes.'],
    503: ['This page is not available right now', 'Load it again in a few minutes.'],
  },
  fr: {
    all: 'Tous les rapports publiés',
    400: ['Cette adresse n’est pas valide', 'Vérifiez le lien que vous avez suivi.'],
    404: ['Cette page n’existe pas', 'Vérifiez l’adresse : celle de chaque rapport est fixe.'],
    406: ['Ce format n’est pas disponible', 'La page du rapport liste ses fichiers et leurs formats.'],
    410: ['Ce rapport a été retiré', 'Il n’est plus publié.'],
    429: ['Trop de requêtes', 'Attendez une minute, puis rechargez la page.'],
    451: ['Cette version a été supprimée pour des raisons légales', 'Elle n’est plus disponible.'],
    500: ['Le chargement de cette page a échoué', 'Rechargez-la dans quelques minutes.'],
    503: ['Cette page n’est pas disponible pour le moment', 'Rechargez-la dans quelques minutes.'],
  },
}

/** Returns the error page of a status, in French for browsers that prefer it. It contains nothing of the request. */
export const errorPage = (status: number, acceptedLanguages = ''): string => {
  const language = /^\s*fr\b/i.test(acceptedLanguages) ? 'fr' : 'en'
  const texts = TEXTS[language]
  const [title, advice] = texts[status] ?? texts[status < 500 ? 400 : status === 500 ? 500 : 503] ?? []
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · ${PRODUCT_NAME}</title>
<link rel="stylesheet" href="/reports/style.css">
</head>
<body class="error">
<main>
<h1>${title}</h1>
<p>${advice}</p>
<p><a href="/reports">${texts.all}</a></p>
</main>
</body>
</html>
`
}

/** Sets the headers of an error page and returns its text. */
const turnIntoPage = (request: FastifyRequest, reply: FastifyReply): string => {
  reply
    .type('text/html; charset=utf-8')
    .headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex', vary: 'Accept-Language' })
    .removeHeader('content-length')
  return errorPage(reply.statusCode, request.headers['accept-language'])
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
    reply.header('content-security-policy', POLICY).removeHeader('set-cookie')
    return page
  },
}

/** Text of `robots.txt`: crawlers must read the pages of reports to see which ones must not be listed. */
export const ROBOTS = 'User-agent: *\nAllow: /reports\nDisallow: /api/\n'
