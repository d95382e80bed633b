/** The filters of the list of jobs; the address holds them as the API names them. */
export const fields = [
  'status', 'job_type', 'ontology', 'file', 'error', 'age', 'lane', 'queue', 'client_id', 'worker', 'parent', 'priority', 'attempt', 'waits_for', 'paused', 'dead', 'quarantined',
  'submitted_from', 'submitted_to', 'started_from', 'started_to', 'ended_from', 'ended_to', 'error_key', 'data', 'sort',
] as const
export type Field = (typeof fields)[number]
export type Filter = Partial<Record<Field, string>>

/** Those that are always there to be filled in; the others are below "More filters". */
export const common: readonly Field[] = ['status', 'job_type', 'ontology', 'file', 'error', 'age', 'sort']

/** Hint is what a field is called, and an example of what it takes. */
export const hints: Partial<Record<Field, [name: string, example: string]>> = {
  lane: ['Lane', 'interactive'], queue: ['Queue', 'default'], client_id: ['Submitted by', 'a name'], worker: ['Worker', 'its id'], parent: ['Part of the job', 'job_…'],
  priority: ['Priority', '5..9'], attempt: ['Attempts', '>1'], waits_for: ['Waits for', 'limit, slot, time…'], paused: ['Paused', 'true'], dead: ['Failed for good', 'true'], quarantined: ['In quarantine', 'true'],
  submitted_from: ['Submitted from', '7d or 2026-01-31'], submitted_to: ['Submitted before', '1h'], started_from: ['Started from', '1h'], started_to: ['Started before', '10m'],
  ended_from: ['Ended from', '1h'], ended_to: ['Ended before', '10m'], error_key: ['Kind of error', 'as kg jobs errors says'], data: ['Data', 'NAME=VALUE'],
}

/** The views that everybody has. */
export const views: [name: string, filter: Filter][] = [
  ['Waiting for approval', { status: 'awaiting_approval' }], ['Running', { status: 'processing' }], ['Queued, first what runs next', { status: 'approved', sort: 'priority' }],
  ['Failed in the last day', { status: 'failed', ended_from: '1d', sort: 'ended' }], ['Paused', { paused: 'true' }], ['In quarantine', { quarantined: 'true' }],
]

/** readFilter takes the filters out of the query of the address, and leaves out what is empty or unknown. */
export function readFilter(query: string): Filter {
  const given = new URLSearchParams(query)
  const filter: Filter = {}
  for (const name of fields) {
    const value = given.get(name)?.trim()
    if (value) filter[name] = value
  }
  return filter
}

/** writeFilter is the query of an address, always in the same order. */
export function writeFilter(filter: Filter): string {
  const query = new URLSearchParams()
  for (const name of fields) if (filter[name]) query.set(name, filter[name])
  return query.toString()
}

/** selecting is the filter of a bulk act: the order of a list selects nothing. */
export function selecting(filter: Filter): Filter {
  const { sort: _, ...rest } = filter
  return rest
}

/** range returns the ids from one to another in a list, both included, in either direction. */
export function range(ids: string[], from: string, to: string): string[] {
  const [a, b] = [ids.indexOf(from), ids.indexOf(to)]
  if (a < 0 || b < 0) return [to]
  return ids.slice(Math.min(a, b), Math.max(a, b) + 1)
}
