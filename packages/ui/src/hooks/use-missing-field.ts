import { useId, useState } from 'react'

/** Marks the field of a form that lacks a value, and focuses it. */
export function useMissingField<F extends string>() {
  const id = useId()
  const [missing, setMissing] = useState<F>()
  const intentOf = (field: F) => (missing === field ? ('danger' as const) : undefined)
  return {
    /** Props of a field's `FormGroup`. */
    groupProps: (field: F) => ({ labelFor: `${id}-${field}`, intent: intentOf(field) }),
    /** Props of the field itself. */
    fieldProps: (field: F) => ({
      id: `${id}-${field}`,
      intent: intentOf(field),
      'aria-invalid': missing === field || undefined,
    }),
    /** Marks and focuses a field; undefined removes the mark. */
    setMissing: (field?: F) => {
      setMissing(field)
      if (field) document.getElementById(`${id}-${field}`)?.focus()
    },
  }
}
