import type { Schemas } from '../api/client'

const whole = new Intl.NumberFormat('en')
export const count = (n: number) => whole.format(n)

/** plural returns "1 job" or "3 jobs". */
export const plural = (n: number, one: string, many = one + 's') => `${count(n)} ${n === 1 ? one : many}`

/** ago says how long ago an instant was, in one unit. */
export function ago(at: string | null | undefined, now = Date.now()): string {
  if (!at) return ''
  const s = Math.max(0, Math.round((now - Date.parse(at)) / 1000))
  if (s < 5) return 'now'
  if (s < 60) return `${s} s ago`
  if (s < 3600) return `${Math.floor(s / 60)} min ago`
  if (s < 86400) return `${Math.floor(s / 3600)} h ago`
  return plural(Math.floor(s / 86400), 'day') + ' ago'
}

/** took says how long something lasts, given in seconds. */
export function took(seconds: number | null | undefined): string {
  if (seconds == null) return ''
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

/** price says what a document will cost, as a range in dollars. */
export function price(cost: Schemas['CostEstimate'] | undefined): string {
  const { cost_low: low = 0, cost_high: high = 0 } = cost?.total ?? {}
  if (high === 0) return 'free'
  const dollars = (n: number) => '$' + (n < 1 ? n.toPrecision(2) : n.toFixed(2))
  return low === high ? dollars(high) : `${dollars(low)}–${dollars(high)}`
}

export const statusNames: Record<string, string> = {
  pending: 'analysing', awaiting_approval: 'awaiting approval', approved: 'queued', processing: 'running',
  completed: 'completed', failed: 'failed', cancelled: 'cancelled',
}

/** sizeOf says how long a document is and into how many chunks it will be cut. */
export function sizeOf(a: Schemas['Analysis']): string {
  const chunks = a.file_stats?.chunks ?? a.chunks
  return [a.file_stats && plural(a.file_stats.word_count, 'word'), chunks != null && plural(chunks, 'chunk')].filter(Boolean).join(' · ')
}
