/** Returns a colour of theme.css, for drawing on a canvas: themeColor('graph-entity'). */
export const themeColor = (name: string): string => propertyOf(name)

/** Returns the font families of theme.css, for drawing on a canvas. */
export const themeFont = (): string => propertyOf('font').replace(/\s+/g, ' ')

const propertyOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--iodine-${name}`).trim()
