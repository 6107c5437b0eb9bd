import { isHttpUrl } from '@iodine/contracts'

/** A source entered by a user: a link that opens a new tab if it is an http(s) URL, otherwise plain text. */
export const SourceLink = ({ source }: { source: string }) =>
  isHttpUrl(source) ? (
    <a href={source} target="_blank" rel="noopener noreferrer">
      {source}
    </a>
  ) : (
    source
  )
