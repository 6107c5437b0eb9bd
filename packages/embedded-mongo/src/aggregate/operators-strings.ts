import type { Operator } from './operator.js'
export const stringOperators: [string, Operator][] = []
