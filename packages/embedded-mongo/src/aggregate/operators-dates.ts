import type { Operator } from './operator.js'
export const dateOperators: [string, Operator][] = []
