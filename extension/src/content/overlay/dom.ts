/**
 * Returns a getter of a prototype. A form's fields shadow its own properties (`<input name="contains">`), also for
 * this script.
 */
const getter = <T>(of: object, name: string): ((self: unknown) => T) => {
  const get = Object.getOwnPropertyDescriptor(of, name)?.get as () => T
  return self => get.call(self)
}

export const textOf = getter<string | null>(Node.prototype, 'textContent')
export const isConnected = getter<boolean>(Node.prototype, 'isConnected')
export const parentOf = getter<Element | null>(Node.prototype, 'parentElement')
export const nameOf = getter<string>(Element.prototype, 'localName')
export const matches = (element: Element, selector: string): boolean =>
  Element.prototype.matches.call(element, selector)
export const closest = (element: Element, selector: string): Element | null =>
  Element.prototype.closest.call(element, selector)
export const contains = (node: Node, other: Node): boolean => Node.prototype.contains.call(node, other)
export const queryAll = (element: Element, selector: string): NodeListOf<Element> =>
  Element.prototype.querySelectorAll.call(element, selector)
export const boxOf = (element: Element): DOMRect => Element.prototype.getBoundingClientRect.call(element)
export const isVisible = (element: Element): boolean =>
  Element.prototype.checkVisibility.call(element, { visibilityProperty: true, opacityProperty: true })
