import type { Connection } from '@iodine/service-kit'

/** A stage of a query plan as `explain` returns it, outermost first. */
interface Stage {
  stage: string
  inputStage?: Stage
  inputStages?: Stage[]
}

/** Plan and execution statistics of a query. */
export interface Plan {
  /** Names of the stages, outermost first; only the first of several inputs. */
  stages: string[]
  returned: number
  docsExamined: number
}

const stagesOf = ({ stage, inputStage, inputStages }: Stage): string[] => {
  const below = inputStage ?? inputStages?.[0]
  return [stage, ...(below ? stagesOf(below) : [])]
}

/** Returns the plans of the queries with a `hint` that `run` makes on a collection, in order. */
export const plansOf = async (
  mongo: Connection,
  collection: string,
  run: () => Promise<unknown>,
): Promise<Plan[]> => {
  const queries: { filter: object; options: object }[] = []
  mongo.base.set('debug', (name: string, method: string, filter: object, options: object) => {
    if (name === collection && method === 'find' && 'hint' in options) queries.push({ filter, options })
  })
  try {
    await run()
  } finally {
    mongo.base.set('debug', false)
  }
  const plans: Plan[] = []
  for (const { filter, options } of queries) {
    const { queryPlanner, executionStats } = await mongo
      .collection(collection)
      .find(filter, options)
      .explain('executionStats')
    plans.push({
      stages: stagesOf(queryPlanner.winningPlan),
      returned: executionStats.nReturned,
      docsExamined: executionStats.totalDocsExamined,
    })
  }
  return plans
}
