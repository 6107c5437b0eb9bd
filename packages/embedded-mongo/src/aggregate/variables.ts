import type { Value } from '../bson/values.js'

/** The slot of a variable. Expressions resolve it at compile time and read it at run time. */
export type Slot = { value: Value | undefined }

/**
 * The `$$` variables of an expression. Evaluation never pauses inside an expression, so slots can be mutable.
 */
export class Variables {
  private readonly slots = new Map<string, Slot>()
  private readonly outer: Variables | undefined

  constructor(outer?: Variables, values: Iterable<[string, Value | undefined]> = []) {
    this.outer = outer
    for (const [name, value] of values) this.slots.set(name, { value })
  }

  /** Returns the variables of every command: `$$NOW`, constant throughout the command. */
  static forCommand() {
    return new Variables(undefined, [['NOW', new Date()]])
  }

  define(name: string): Slot {
    const slot: Slot = { value: undefined }
    this.slots.set(name, slot)
    return slot
  }

  find(name: string): Slot | undefined {
    return this.slots.get(name) ?? this.outer?.find(name)
  }
}
