import type { Job } from '../api/client'

const understood = new Set(['status', 'job_type', 'ontology'])

/** matches says whether a list of jobs with a filter shows a job; undefined where only the server knows. */
function matches(filter: URLSearchParams, job: Job): boolean | undefined {
  let unknown = false
  for (const [name, value] of filter) {
    if (!understood.has(name)) unknown = true
    else if (name === 'status' ? !value.split(',').includes(job.status) : job[name as 'job_type' | 'ontology'] !== value) return false
  }
  return unknown ? undefined : true
}

/**
 * place puts jobs that are new into the pages of a list, the newest first, which has some filter, or says that it
 * must be read again (null): where only the server knows whether the list shows them, or where. Jobs that are older
 * than what was read of a list that goes on stay out of it.
 */
export function place(pages: Job[][], query: string, fresh: Job[], goesOn: boolean): Job[][] | null {
  const filter = new URLSearchParams(query)
  if (filter.has('sort')) return null
  const known = pages.flat()
  const [newest, oldest] = [known[0], known.at(-1)]
  const first: Job[] = []
  for (const job of fresh) {
    const shown = matches(filter, job)
    if (shown === undefined) return null
    if (!shown || (goesOn && oldest && job.created_at < oldest.created_at)) continue
    if (newest && job.created_at < newest.created_at) return null
    first.push(job)
  }
  if (first.length === 0) return pages
  first.sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
  return [[...first, ...(pages[0] ?? [])], ...pages.slice(1)]
}
