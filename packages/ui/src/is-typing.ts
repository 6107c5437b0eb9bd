const FIELDS = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"]'

/** Whether a key pressed in an element is meant for it: for a field that takes text, or a list of choices. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(FIELDS) !== null
