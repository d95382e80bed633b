/** The filters of the list of jobs that the page offers; the address holds them as the API names them. */
export const fields = ['status', 'job_type', 'ontology', 'file', 'error', 'age', 'sort'] as const
export type Field = (typeof fields)[number]
export type Filter = Partial<Record<Field, string>>

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
