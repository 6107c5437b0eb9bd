import type { ReportLanguage } from '@iodine/contracts'
import { escapeXml } from './text.js'
import { textsOf } from './texts.js'

interface DocumentParts {
  language: ReportLanguage
  /** Text. */
  title: string
  /** HTML. */
  head?: string
  main: string
  /** Permanent address in the foot, for print; default: none. */
  address?: string
}

/** Content-Security-Policy of the pages. */
export const PAGE_CSP =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Returns a document of HTML5 with one style sheet and no script. */
export const documentOf = ({ language, title, head = '', main, address = '' }: DocumentParts): string => {
  const t = textsOf(language)
  return `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeXml(title)}</title>
<link rel="stylesheet" href="/reports/style.css">
${head}
</head>
<body>
<a class="skip" href="#content">${t.skip}</a>
<header class="tlp"><p>TLP:CLEAR</p></header>
<main id="content">
${main}
</main>
<footer class="tlp"><p>TLP:CLEAR</p><p>${escapeXml(address)}</p></footer>
</body>
</html>
`
}
