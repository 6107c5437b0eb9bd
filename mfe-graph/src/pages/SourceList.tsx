const SHOWN_MAX = 6

/** Where something was said, a line each. */
export function SourceList({ sources }: { sources: readonly string[] }) {
  if (sources.length === 0) return 'none'
  const rest = sources.length - SHOWN_MAX
  return (
    <>
      {sources.slice(0, SHOWN_MAX).map(source => (
        <div key={source}>{source}</div>
      ))}
      {rest > 0 && <div>and {rest} more</div>}
    </>
  )
}
