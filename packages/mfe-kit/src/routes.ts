import type * as contracts from '@iodine/contracts'

type Tables = { [K in keyof typeof contracts as K extends `${string}Api` ? K : never]: (typeof contracts)[K] }
type Endpoints = { [K in keyof Tables]: Tables[K][keyof Tables[K]] }[keyof Tables]

type EndpointByRoute = {
  [E in Endpoints as E extends contracts.EndpointSpec ? `${E['method']} ${E['path']}` : never]: E
}

/** Every operation of the contracts' endpoint tables, written 'METHOD /path', for example 'POST /iods/:id/vote'. */
export type Route = keyof EndpointByRoute

type Spec<R extends Route> = EndpointByRoute[R] extends infer E extends contracts.EndpointSpec ? E : never

/** Query values are sent as text, so a number may stand where the contract says text. */
type QueryValues<T> = { [K in keyof T]: T[K] | (string extends Extract<T[K], string> ? number : never) }

type Field<Name extends string, T> = [T] extends [undefined]
  ? { [K in Name]?: undefined }
  : undefined extends T
    ? { [K in Name]?: T }
    : Record<never, never> extends T
      ? { [K in Name]?: T }
      : { [K in Name]: T }

/** The input of a call to `R`: `params` of the path, `query`, `body`, each typed by the contract. */
export type Input<R extends Route> = Field<'params', contracts.ParamsFor<Spec<R>>> &
  Field<'query', QueryValues<contracts.QueryFor<Spec<R>>>> &
  Field<'body', contracts.BodyFor<Spec<R>>> & {
    signal?: AbortSignal
    /** Called with the answer's text so far whenever more of it arrives, to show the first part of a long answer. */
    onText?: (text: string) => void
  }

/** The answer of a call to `R`. */
export type Output<R extends Route> = contracts.ResponseOf<Spec<R>>
