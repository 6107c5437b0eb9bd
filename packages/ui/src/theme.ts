/** Value of a colour in theme.css, for drawing on a canvas: themeColor('graph-entity'). */
export const themeColor = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--iodine-${name}`).trim()
