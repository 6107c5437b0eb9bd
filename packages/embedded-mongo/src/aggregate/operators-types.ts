import type { Operator } from './operator.js'
export const typeOperators: [string, Operator][] = []
