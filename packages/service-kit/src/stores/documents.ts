import { type Connection, type Model, Schema, type SchemaOptions, type Types } from 'mongoose'

declare const VALUE: unique symbol
/** A type of mongoose with values of type `T`. */
interface Typed<T> {
  readonly [VALUE]: T
}

/** Narrows the values of a field: `typed<Counts>(Schema.Types.Mixed)`. */
export const typed = <T>(type: unknown): Typed<T> => type as Typed<T>

/** Values of a type in a schema's definition. */
type ValueOf<T> =
  T extends Typed<infer V>
    ? V
    : T extends typeof Schema.Types.ObjectId
      ? Types.ObjectId
      : T extends StringConstructor
        ? string
        : T extends NumberConstructor
          ? number
          : T extends BooleanConstructor
            ? boolean
            : T extends DateConstructor
              ? Date
              : T extends BufferConstructor
                ? Buffer
                : T extends Schema<infer D>
                  ? D
                  : T extends readonly [infer Item]
                    ? ValueOf<Item>[]
                    : never

/** Values of a field: `{ type, enum?, default? }`, or a type alone. */
type FieldOf<F> = F extends { type: infer T; enum: readonly (infer V)[] }
  ? T extends readonly unknown[]
    ? V[]
    : V
  : F extends { type: infer T }
    ? ValueOf<T>
    : ValueOf<F>
/** A field is always stored if it is required or has a default. */
type IsStored<F> = F extends { required: true }
  ? true
  : F extends { default: infer D }
    ? D extends undefined
      ? false
      : true
    : false
type StoredKeys<F> = { [K in keyof F]: IsStored<F[K]> extends true ? K : never }[keyof F]

type Flat<T> = { [K in keyof T]: T[K] }
/** Documents that a schema's definition describes, as lean reads return them. */
type Stored<F> = Flat<
  (F extends { _id: unknown } ? unknown : { _id: Types.ObjectId }) & {
    -readonly [K in StoredKeys<F>]: FieldOf<F[K]> | (F[K] extends { default: null } ? null : never)
  } & { -readonly [K in Exclude<keyof F, StoredKeys<F>>]?: FieldOf<F[K]> }
>

/** Defines the schema of a collection. Its documents' type is `DocOf` it: each field has one definition. */
export const defineSchema = <const F extends Record<string, unknown>>(
  collection: string,
  fields: F,
  options?: SchemaOptions,
): Schema<Stored<F>> =>
  new Schema(fields as never, { collection, versionKey: false, ...options } as never) as never

/** Documents of a schema. */
export type DocOf<S> = S extends Schema<infer D> ? D : never

/** Creates the model of a schema. */
export const modelOf = <D>(mongo: Connection, name: string, schema: Schema<D>): Model<D> =>
  mongo.model<D>(name, schema as never) as never
