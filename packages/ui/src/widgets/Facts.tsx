import type { ReactNode } from 'react'

/** A label with its value, and an explanation of the label that is shown by hover. */
export type Fact = readonly [label: string, value: ReactNode, help?: string]

/** A description list, which omits facts with an empty value. */
export function Facts({ facts, className }: { facts: readonly Fact[]; className: string | undefined }) {
  return (
    <dl className={className}>
      {facts.map(([label, value, help]) =>
        value ? (
          <div key={label}>
            <dt title={help}>{label}</dt>
            <dd>{value}</dd>
          </div>
        ) : null,
      )}
    </dl>
  )
}
