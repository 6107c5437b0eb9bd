/** Attribute of the links that open the panel of an IOD, with its id. */
export const LINK = 'data-iod'
/** Attribute of the side panel, as long as the list beside it can be used. */
export const PANEL = 'data-side-panel'

const focus = (selector: string): boolean => {
  const element = document.querySelector<HTMLElement>(selector)
  element?.focus()
  return element !== null
}

/** Focuses the open side panel. */
export const focusPanel = (): boolean => focus(`[${PANEL}]`)

/** Focuses the row of an IOD, or where it is not drawn, the table. */
export function focusRow(id: string): void {
  const inRow = `:has(td [${LINK}="${CSS.escape(id)}"])`
  if (!focus(`tr[tabindex]${inRow}`)) focus('section[tabindex]:has(> table)')
}
