import type * as contracts from '@iodine/contracts'

type Tables = { [K in keyof typeof contracts as K extends `${string}Api` ? K : never]: (typeof contracts)[K] }
type Endpoints = { [K in keyof Tables]: Tables[K][keyof Tables[K]] }[keyof Tables]

type EndpointByRoute = {
  [E in Endpoints as E extends contracts.PublicEndpoint ? `${E['method']} ${E['path']}` : never]: E
}

/** Every operation of the contracts' endpoint tables, as 'METHOD /path', for example 'POST /iods/:id/vote'. */
export type Route = keyof EndpointByRoute

/** The endpoint of a route. */
export type Spec<R extends Route> = EndpointByRoute[R] extends infer E extends contracts.PublicEndpoint
  ? E
  : never

/** The input of a call to `R`: `params` of the path, `query`, `body`, each typed by the contract. */
export type Input<R extends Route> = contracts.Input<Spec<R>>

/** The response of a call to `R`. */
export type Output<R extends Route> = contracts.ResponseOf<Spec<R>>
