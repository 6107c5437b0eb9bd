import type { Connection } from '@iodine/service-kit'

/** A stage of a query plan as `explain` tells it, outermost first. */
interface Stage {
  stage: string
  inputStage?: Stage
  inputStages?: Stage[]
}

/** How the database answered a query. */
export interface Plan {
  /** Names of the stages, outermost first; of several inputs the first one's. */
  stages: string[]
  returned: number
  docsExamined: number
}

const stagesOf = ({ stage, inputStage, inputStages }: Stage): string[] => {
  const below = inputStage ?? inputStages?.[0]
  return [stage, ...(below ? stagesOf(below) : [])]
}

/** Plans of the queries with a `hint` that `run` makes on a collection, in their order. */
export const plansOf = async (
  mongo: Connection,
  collection: string,
  run: () => Promise<unknown>,
): Promise<Plan[]> => {
  const asked: { filter: object; options: object }[] = []
  mongo.base.set('debug', (name: string, method: string, filter: object, options: object) => {
    if (name === collection && method === 'find' && 'hint' in options) asked.push({ filter, options })
  })
  try {
    await run()
  } finally {
    mongo.base.set('debug', false)
  }
  const plans: Plan[] = []
  for (const { filter, options } of asked) {
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
