import type { Value } from '../bson/values.js'

/** A variable's place: expressions find it when they are compiled and read it when they run. */
export type Slot = { value: Value | undefined }

/** The `$$name`s an expression may use. Evaluation never suspends inside an expression, so slots are simply set. */
export class Variables {
  private readonly slots = new Map<string, Slot>()
  private readonly outer: Variables | undefined

  constructor(outer?: Variables, values: Iterable<[string, Value | undefined]> = []) {
    this.outer = outer
    for (const [name, value] of values) this.slots.set(name, { value })
  }

  /** What every command starts with: `$$NOW`, the same throughout the command. */
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
