/** Attribute of links that open the panel of an IOD; its value is the IOD's id. */
export const LINK = 'data-iod'
/** Attribute of the side panel while the list beside it is usable. */
export const PANEL = 'data-side-panel'

const focus = (selector: string): boolean => {
  const element = document.querySelector<HTMLElement>(selector)
  element?.focus()
  return element !== null
}

/** Focuses the open side panel. */
export const focusPanel = (): boolean => focus(`[${PANEL}]`)

/** Focuses the row of an IOD, or the table if the row is not rendered. */
export function focusRow(id: string): void {
  const inRow = `:has(td [${LINK}="${CSS.escape(id)}"])`
  if (!focus(`tr[tabindex]${inRow}`)) focus('section[tabindex]:has(> table)')
}
