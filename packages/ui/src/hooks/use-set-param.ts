import { useSearchParams } from 'react-router-dom'

/** Sets a parameter of the address, in place of its entry in the history; '' takes the parameter away. */
export function useSetParam(): (name: string, value: string) => void {
  const [, setSearch] = useSearchParams()
  return (name, value) =>
    setSearch(
      params => {
        const next = new URLSearchParams(params)
        if (value) next.set(name, value)
        else next.delete(name)
        return next
      },
      { replace: true },
    )
}
