/** Returns whether the keyboard has a Command key. */
export const isApple = (): boolean => /Mac|iPod|iPhone|iPad/.test(navigator.platform)
