import type { ReactNode } from 'react'

export interface FactsProps {
  className?: string | undefined
  /** Values by term, in display order. Terms whose value is false, null, undefined or '' are omitted. */
  facts: Readonly<Record<string, ReactNode>>
  /** Explanations of terms, shown by hover. */
  help?: Readonly<Record<string, string>>
}

/** A list of terms and values. */
export const Facts = ({ className, facts, help = {} }: FactsProps) => (
  <dl className={className}>
    {Object.entries(facts).map(
      ([term, value]) =>
        (value || value === 0) && (
          <div key={term}>
            <dt title={help[term]}>{term}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ),
    )}
  </dl>
)
