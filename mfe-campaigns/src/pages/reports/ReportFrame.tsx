import { type SyntheticEvent, useEffect, useState } from 'react'
import styles from './reports.module.css'

const STYLE_SHEET = 'href="/reports/style.css"'

/** Opens the references of the page in new tabs. Its other links lead to files that do not exist yet. */
const openReferences = ({ currentTarget }: SyntheticEvent<HTMLIFrameElement>) => {
  currentTarget.contentDocument?.addEventListener('click', event => {
    const href = (event.target as Element).closest('a')?.getAttribute('href')
    if (!href || href.startsWith('#')) return
    event.preventDefault()
    if (/^https?:/i.test(href)) window.open(href, '_blank', 'noopener,noreferrer')
  })
}

/**
 * The page of a report, in a frame that runs no scripts. It has a blob's URL: the app's Trusted Types reject `srcdoc`.
 * A blob has no base URL, so the address of its style sheet is absolute.
 */
export function ReportFrame({ html }: { html: string }) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const page = html.replace(STYLE_SHEET, `href="${window.location.origin}/reports/style.css"`)
    const made = URL.createObjectURL(new Blob([page], { type: 'text/html' }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [html])
  return (
    <iframe
      className={styles.page}
      title="Page of the report"
      sandbox="allow-same-origin"
      src={url}
      onLoad={openReferences}
    />
  )
}
