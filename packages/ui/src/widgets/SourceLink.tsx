import { isHttpUrl } from '@iodine/contracts'

/** A source as a user gave it: a link that opens a new tab where it is a web address, else its text. */
export const SourceLink = ({ source }: { source: string }) =>
  isHttpUrl(source) ? (
    <a href={source} target="_blank" rel="noopener noreferrer">
      {source}
    </a>
  ) : (
    source
  )
