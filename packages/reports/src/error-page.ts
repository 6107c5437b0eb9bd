import type { ReportLanguage } from '@iodine/contracts'
import { documentOf } from './document.js'
import { escapeXml, paragraphs } from './text.js'

export { PAGE_CSP } from './document.js'

/** Heading and advice of an error page, by status. */
const TEXTS = {
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
} as const satisfies Record<ReportLanguage, object>
export type PageErrorStatus = Exclude<keyof typeof TEXTS.en, 'all'>

/** What an error page shows besides its status. */
export interface ErrorNote {
  /** Such as a withdrawal's reason. */
  text?: string
  lines?: readonly string[]
  /** The reader's Accept-Language. */
  languages?: string | undefined
}

/**
 * Returns the page of an error, in French for browsers that prefer it.
 * @param status an unknown one has the page of 400 or 503
 */
export const toErrorPage = (
  status: number,
  { text = '', lines = [], languages = '' }: ErrorNote = {},
): string => {
  const language = /^\s*fr\b/i.test(languages) ? 'fr' : 'en'
  const texts = TEXTS[language]
  const known = (status in texts ? status : status < 500 ? 400 : 503) as PageErrorStatus
  const [heading, advice] = texts[known]
  const main = [
    `<h1>${heading}</h1>`,
    `<p>${advice}</p>`,
    ...lines.map(line => `<p>${escapeXml(line)}</p>`),
    paragraphs(text),
    `<p><a href="/reports">${texts.all}</a></p>`,
  ]
  const head = '<meta name="robots" content="noindex">'
  return documentOf({ language, title: heading, head, main: main.join('\n') })
}
